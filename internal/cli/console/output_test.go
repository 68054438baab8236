package console

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMoney(t *testing.T) {
	for usd, want := range map[float64]string{0: "nothing", 0.0000004: "less than 1 cent", 0.0099: "less than 1 cent", 0.01: "$0.01", 0.0123: "$0.01", 0.5: "$0.50", 1234.567: "$1234.57"} {
		assert.Equal(t, want, new(Console).Money(usd), "%v", usd)
	}
}
