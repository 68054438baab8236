package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"
)

const reachTimeout = 10 * time.Second

// Reach requests the lists of models from the providers of a model, which costs nothing
// (https://platform.openai.com/docs/api-reference/models/list). It returns nil if one of
// them answers well or inconclusively: some servers have no list, and some offer more than
// they list. Otherwise it returns an *[Error], and the model cannot answer.
func (c *Client) Reach(ctx context.Context, name string) error {
	m, ok := c.models[name]
	if !ok {
		return (&Error{Kind: Refused, Reason: UnknownModel}).about(Hint{Code: "not_configured", About: name})
	}
	var failures []*Error
	for _, p := range m.providers {
		err := c.reachProvider(ctx, p)
		var e *Error
		if !errors.As(err, &e) {
			return err
		}
		failures = append(failures, e)
	}
	return worthAnother(failures)
}

func (c *Client) reachProvider(parent context.Context, p *provider) error {
	ctx, cancel := context.WithTimeout(parent, reachTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.BaseURL+"/models", nil)
	if err != nil {
		return (&Error{Kind: Refused, Reason: NoProvider, Provider: p.Name}).about(Hint{Code: "base_url"})
	}
	if p.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+p.APIKey)
	}
	x := &exchange{client: p.client, whole: true}
	resp, err := x.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(parent) // a busy server proves nothing
		}
		return c.classify(p, Request{}, x, err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return c.classify(p, Request{}, x, nil)
	case resp.StatusCode >= http.StatusInternalServerError && resp.StatusCode != http.StatusNotImplemented:
		return c.classify(p, Request{}, x, nil)
	case resp.StatusCode != http.StatusOK:
		return nil
	}
	body, err := io.ReadAll(resp.Body)
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err == nil && json.Unmarshal(body, &list) == nil && len(list.Data) > 0 {
		ids := make([]string, len(list.Data))
		for i, d := range list.Data {
			ids[i] = d.ID
		}
		if !slices.Contains(ids, p.Model) {
			c.log.Info("the provider does not list the model", "provider", p.Name, "model", p.Model, "lists", len(ids))
		}
	}
	return nil
}
