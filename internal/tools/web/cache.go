package web

import (
	"container/list"
	"sync"
	"time"
)

// A cache holds values up to a total size. It evicts the least recently used first. It is
// safe for concurrent use.
type cache[T any] struct {
	mu    sync.Mutex
	keep  time.Duration
	most  int
	size  int
	order *list.List // of *entry[T], the most recently used in front
	by    map[string]*list.Element
}

type entry[T any] struct {
	key   string
	value T
	size  int
	until time.Time
}

func newCache[T any](keep time.Duration, most int) *cache[T] {
	return &cache[T]{keep: keep, most: most, order: list.New(), by: map[string]*list.Element{}}
}

func (c *cache[T]) get(key string) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.by[key]
	if e == nil {
		return value, false
	}
	found := e.Value.(*entry[T])
	if !time.Now().Before(found.until) {
		c.remove(e)
		return value, false
	}
	c.order.MoveToFront(e)
	return found.value, true
}

// put does not keep a value larger than a tenth of the cache, because it would evict most others.
func (c *cache[T]) put(key string, value T, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.by[key]; e != nil {
		c.remove(e)
	}
	if size > c.most/10 {
		return
	}
	c.by[key] = c.order.PushFront(&entry[T]{key, value, size, time.Now().Add(c.keep)})
	for c.size += size; c.size > c.most; {
		c.remove(c.order.Back())
	}
}

func (c *cache[T]) remove(e *list.Element) {
	gone := c.order.Remove(e).(*entry[T])
	delete(c.by, gone.key)
	c.size -= gone.size
}
