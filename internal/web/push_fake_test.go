package web

import (
	"context"
	"strconv"

	"errand/internal/service"
)

func (m *memory) PushKey(service.Actor) (string, error) { return "BKey", nil }

func (m *memory) PushSubscriptions(_ context.Context, by service.Actor) (list []service.PushSubscription, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pushes {
		if p.Person == by.Person {
			list = append(list, p)
		}
	}
	return list, nil
}

func (m *memory) SetPushSubscription(_ context.Context, by service.Actor, p service.PushSubscription, _ service.PushRenewal) (service.PushSubscription, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.ID, p.Person = "ps-"+strconv.Itoa(len(m.pushes)+1), by.Person
	m.pushes = append(m.pushes, p)
	return p, nil
}

func (m *memory) DeletePushSubscription(_ context.Context, by service.Actor, id string) error {
	return nil
}
