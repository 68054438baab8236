package llm

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"sync"
)

//go:embed pricelist.json
var priceListFile []byte

type priceList struct {
	Date   string // "2026-08"
	Models []struct {
		Host, Name    string
		Input, Output float64
		Cached, Write *float64
		ContextTokens int `json:"context_tokens"`
		Vision        *bool
	}
}

var readPriceList = sync.OnceValue(func() (list priceList) {
	if err := json.Unmarshal(priceListFile, &list); err != nil {
		panic(fmt.Errorf("llm: pricelist.json: %w", err))
	}
	return list
})

// PriceListDate returns the month in which the prices of errand's list applied, such as "2026-08".
func PriceListDate() string { return readPriceList().Date }

// dated are the ends of names of a model's versions: gpt-5-mini-2025-08-07, claude-opus-4-1-20250805.
var dated = regexp.MustCompile(`-(\d{4}-\d\d-\d\d|20\d{6})$`)

// WithPriceList fills in what errand's price list has of the provider's model and p leaves open: price,
// context and vision. A model on your own network is free, unless it has the name of one that
// is sold: then the server is a proxy.
func (p Provider) WithPriceList() (full Provider, contextTokens int) {
	host, sold := HostOf(p.BaseURL), false
	exact := strings.TrimPrefix(p.Model, "models/")
	name := dated.ReplaceAllString(exact, "")
	for _, m := range readPriceList().Models { // dated versions with their own price come first
		if sold = sold || m.Name == name; m.Name != exact && m.Name != name || m.Host != host {
			continue
		}
		if p.Price == nil {
			p.Price = &Price{Input: m.Input, Output: m.Output, Cached: m.Cached, Write: m.Write, Source: PriceListed}
		}
		if p.Vision == nil {
			p.Vision = m.Vision
		}
		return p, m.ContextTokens
	}
	if p.Price == nil && !sold && isOwnHost(host) {
		p.Price = &Price{Source: PriceOwn}
	}
	return p, 0
}

func isOwnHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate()
	}
	return host == "localhost" || strings.HasSuffix(host, ".local")
}
