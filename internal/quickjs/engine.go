package quickjs

import (
	"context"
	_ "unsafe" // for the names below

	"github.com/fastschema/qjs"
	"github.com/tetratelabs/wazero"
)

// The library compiles QuickJS once in a process and keeps it in these variables. It always takes
// the compiler, which some processes may not run, so errand sets them itself.
var (
	//go:linkname compiledModule github.com/fastschema/qjs.compiledQJSModule
	compiledModule wazero.CompiledModule
	//go:linkname runtimeConfig github.com/fastschema/qjs.cachedRuntimeConfig
	runtimeConfig wazero.RuntimeConfig
	//go:linkname compiledHash github.com/fastschema/qjs.cachedBytesHash
	compiledHash uint64
	//go:linkname module github.com/fastschema/qjs.wasmBytes
	module []byte
)

//go:linkname hashBytes github.com/fastschema/qjs.hashBytes
func hashBytes([]byte) uint64

const (
	wasmPage = 64 << 10
	own      = 16 << 20
	// In a folder of QuickJS links would lead out of it.
	noFolder = "/nonexistent/errand"
)

func load(p Program, compiles bool) (qjs.Option, error) {
	ctx := context.Background()
	p.Memory = min(p.Memory, 4<<30-own) // addresses have 32 bits
	config := wazero.NewRuntimeConfigInterpreter()
	cache := wazero.NewCompilationCache()
	if compiles {
		config = wazero.NewRuntimeConfig() // the compiler, on machines that it knows
		if p.Cache != "" {
			if kept, err := wazero.NewCompilationCacheWithDir(p.Cache); err == nil { // it is slower without
				cache = kept
			}
		}
	}
	// All of its memory at once: otherwise it is copied each time that it grows.
	config = config.WithCompilationCache(cache).WithMemoryLimitPages(uint32((p.Memory + own) / wasmPage)).WithMemoryCapacityFromMax(true)
	compiled, err := wazero.NewRuntimeWithConfig(ctx, config).CompileModule(ctx, module)
	if err != nil {
		return qjs.Option{}, err
	}
	compiledModule, runtimeConfig, compiledHash = compiled, config, hashBytes(module)
	return qjs.Option{CWD: noFolder, Context: ctx, MemoryLimit: int(p.Memory), MaxStackSize: 1 << 20}, nil
}
