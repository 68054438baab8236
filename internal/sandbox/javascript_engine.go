package sandbox

import (
	"context"
	"fmt"
	_ "unsafe" // for go:linkname

	"github.com/fastschema/qjs"
	"github.com/tetratelabs/wazero"
)

// The library keeps the compiled QuickJS in these variables, and always uses the compiler,
// which some processes may not run. So errand sets the variables.
var (
	//go:linkname compiledModule github.com/fastschema/qjs.compiledQJSModule
	compiledModule wazero.CompiledModule
	//go:linkname runtimeConfig github.com/fastschema/qjs.cachedRuntimeConfig
	runtimeConfig wazero.RuntimeConfig
	//go:linkname compiledHash github.com/fastschema/qjs.cachedBytesHash
	compiledHash uint64
	//go:linkname quickJSModule github.com/fastschema/qjs.wasmBytes
	quickJSModule []byte
)

//go:linkname hashBytes github.com/fastschema/qjs.hashBytes
func hashBytes([]byte) uint64

const (
	wasmPage     = 64 << 10
	engineMemory = 16 << 20
	// With a real folder, QuickJS would follow links out of it.
	noFolder = "/nonexistent/errand"
)

// probeModule has one function, which does nothing. QuickJS takes about a second to compile.
var probeModule = []byte("\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x0a\x04\x01\x02\x00\x0b")

// loadQuickJS compiles or interprets QuickJS, or the probe. The compiler fails or panics if the system
// forbids generated code.
func loadQuickJS(p JavaScriptProgram, compiles bool) (o qjs.Option, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("load QuickJS: %v", r)
		}
	}()
	ctx := context.Background()
	p.Memory = min(p.Memory, 4<<30-engineMemory) // the address space has 32 bits
	config := wazero.NewRuntimeConfigInterpreter()
	cache := wazero.NewCompilationCache()
	if compiles {
		config = wazero.NewRuntimeConfig() // the compiler, on supported machines
		if p.Cache != "" {
			// Without a cache it is only slower.
			if kept, err := wazero.NewCompilationCacheWithDir(p.Cache); err == nil {
				cache = kept
			}
		}
	}
	// Allocate all memory at once, because growing it copies it.
	config = config.WithCompilationCache(cache).WithMemoryLimitPages(uint32((p.Memory + engineMemory) / wasmPage)).WithMemoryCapacityFromMax(true)
	module := quickJSModule
	if p.Probe {
		module = probeModule
	}
	compiled, err := wazero.NewRuntimeWithConfig(ctx, config).CompileModule(ctx, module)
	if err != nil {
		return qjs.Option{}, err
	}
	compiledModule, runtimeConfig, compiledHash = compiled, config, hashBytes(quickJSModule)
	return qjs.Option{CWD: noFolder, Context: ctx, MemoryLimit: int(p.Memory), MaxStackSize: 1 << 20}, nil
}
