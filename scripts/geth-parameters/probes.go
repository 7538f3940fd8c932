package main

import (
	"bytes"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

var (
	key, _    = crypto.ToECDSA(bytes.Repeat([]byte{1}, 32))
	other, _  = crypto.ToECDSA(bytes.Repeat([]byte{2}, 32))
	sender    = crypto.PubkeyToAddress(key.PublicKey)
	stranger  = crypto.PubkeyToAddress(other.PublicKey)
	target    = common.HexToAddress("0x7a26e7")
	rich      = common.HexToAddress("0x51c4")
	stops     = common.HexToAddress("0x57095")
	fails     = common.HexToAddress("0xfa115")
	reverts   = common.HexToAddress("0x5e5e57")
	destroys  = common.HexToAddress("0xde5750")
	stores    = common.HexToAddress("0x5705e5")
	delegated = common.HexToAddress("0xde1e6a")
	nobody    = common.HexToAddress("0x404404")
)

func world() []account {
	ether := new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)
	one := (*hexutil.Big)(big.NewInt(1))
	none := (*hexutil.Big)(new(big.Int))
	return []account{
		{Address: sender, Balance: (*hexutil.Big)(ether)},
		{Address: rich, Balance: one},
		{Address: stops, Balance: none, Nonce: 1, Code: code(vm.STOP)},
		{Address: fails, Balance: none, Nonce: 1, Code: code(vm.INVALID)},
		{Address: reverts, Balance: none, Nonce: 1, Code: code(0, 0, vm.REVERT)},
		{Address: destroys, Balance: one, Nonce: 1, Code: code(nobody, vm.SELFDESTRUCT)},
		{Address: stores, Balance: none, Nonce: 1, Code: code(0, 1, vm.SSTORE), Slots: 1},
		{Address: delegated, Balance: none, Nonce: 1, Code: types.AddressToDelegation(stops)},
	}
}

// code assembles opcodes; numbers, addresses and byte strings are pushed, top last, except that raw follows as it is.
func code(parts ...any) []byte {
	var out []byte
	push := func(b []byte) {
		out = append(out, byte(vm.PUSH1)+byte(len(b)-1))
		out = append(out, b...)
	}
	for _, part := range parts {
		switch v := part.(type) {
		case vm.OpCode:
			out = append(out, byte(v))
		case raw:
			out = append(out, v...)
		case common.Address:
			push(v[:])
		case []byte:
			push(v)
		case int:
			b := big.NewInt(int64(v)).Bytes()
			if len(b) == 0 {
				b = []byte{0}
			}
			push(b)
		default:
			panic(fmt.Sprintf("%T", part))
		}
	}
	return out
}

type raw []byte

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

var list []probe

// add completes and runs a probe.
func add(p probe) {
	if p.Gas == 0 {
		p.Gas = 8_000_000
	}
	if p.Since == "" {
		p.Since = first
	}
	p.Outcome = byFork(p.Since, p.run)
	list = append(list, p)
}

// runs adds a message that runs a code.
func runs(name string, parts ...any) { add(probe{Name: name, To: &target, Code: code(parts...)}) }

// burn makes so much gas that no refund is capped: it hashes 256 KB.
var burn = raw(code(1<<18, 0, vm.KECCAK256, vm.POP))

func probes() []probe {
	everyOpcode()
	storage()
	accounts()
	calls()
	creations()
	copies()
	destructions()
	transactions()
	return list
}

func everyOpcode() {
	zeros := raw(bytes.Repeat([]byte{byte(vm.PUSH1), 0}, 20))
	for i := range 256 {
		runs(fmt.Sprintf("opcode %02x", i), zeros, vm.OpCode(i), raw(make([]byte, 33)))
	}
	for _, immediate := range []byte{0x00, 0x5a, 0x5b, 0x7f, 0x80, 0x90, 0xff} {
		for _, op := range []byte{0xe6, 0xe7, 0xe8} {
			many := raw(bytes.Repeat([]byte{byte(vm.PUSH1), 0}, 250))
			runs(fmt.Sprintf("opcode %02x with immediate %02x", op, immediate), many, raw{op, immediate})
		}
	}
}

func storage() {
	write := func(value, slot int) raw { return code(value, slot, vm.SSTORE) }
	for original := range 2 {
		slot := 100
		if original == 1 {
			slot = 1
		}
		for _, length := range []int{1, 2, 3} {
			for n := range pow(3, length) {
				parts := []any{burn}
				name := fmt.Sprintf("SSTORE %d", original)
				for i := range length {
					value := n / pow(3, i) % 3
					name += fmt.Sprintf(" %d", value)
					parts = append(parts, write(value, slot))
				}
				runs(name, parts...)
			}
		}
	}
	clears := []any{}
	for slot := 1; slot <= 4; slot++ {
		clears = append(clears, write(0, slot))
		runs(fmt.Sprintf("SSTORE clears %d slots, with a capped refund", slot), clears...)
	}
	runs("SLOAD twice", 1, vm.SLOAD, 1, vm.SLOAD, 2, vm.SLOAD)
	runs("SLOAD then SSTORE", 1, vm.SLOAD, write(2, 1))
	runs("TSTORE and TLOAD", 1, 1, vm.TSTORE, 1, vm.TLOAD)
	for _, left := range []int{2_299, 2_300, 2_301, 2_400, 4_500} {
		// A call gives so much gas for an SSTORE that changes nothing: pushes take 6.
		runs(fmt.Sprintf("SSTORE with %d gas", left), 0, 0, 0, 0, 0, stores, left+6, vm.CALL)
	}
}

func pow(base, exponent int) int {
	out := 1
	for range exponent {
		out *= base
	}
	return out
}

func accounts() {
	for _, who := range []struct {
		name string
		at   common.Address
	}{{"an account", rich}, {"nobody", nobody}, {"itself", target}, {"the sender", sender}, {"the coinbase", coinbase}, {"a precompile", common.BytesToAddress([]byte{4})}} {
		for _, op := range []vm.OpCode{vm.BALANCE, vm.EXTCODESIZE, vm.EXTCODEHASH} {
			runs(fmt.Sprintf("%s of %s twice", op, who.name), who.at, op, who.at, op)
		}
		for _, size := range []int{0, 1, 33} {
			runs(fmt.Sprintf("EXTCODECOPY of %d bytes of %s twice", size, who.name),
				size, 0, 0, who.at, vm.EXTCODECOPY, size, 0, 0, who.at, vm.EXTCODECOPY)
		}
	}
	runs("SELFBALANCE", vm.SELFBALANCE)
	runs("BLOCKHASH", 0, vm.BLOCKHASH)
}

func calls() {
	for _, callee := range []struct {
		name string
		at   common.Address
	}{
		{"an account", rich}, {"nobody", nobody}, {"a contract", stops}, {"what fails", fails}, {"what reverts", reverts},
		{"a precompile", common.BytesToAddress([]byte{4})}, {"itself", target}, {"a delegated account", delegated},
	} {
		if callee.at == target {
			continue
		}
		for _, gas := range []int{0, 1_000, 100_000} {
			for _, value := range []int{0, 1} {
				for _, op := range []vm.OpCode{vm.CALL, vm.CALLCODE} {
					call := raw(code(0, 0, 0, 0, value, callee.at, gas, op))
					runs(fmt.Sprintf("%s of %s with %d gas and value %d twice", op, callee.name, gas, value), call, call)
				}
			}
			for _, op := range []vm.OpCode{vm.DELEGATECALL, vm.STATICCALL} {
				call := raw(code(0, 0, 0, 0, callee.at, gas, op))
				runs(fmt.Sprintf("%s of %s with %d gas twice", op, callee.name, gas), call, call)
			}
		}
	}
	runs("CALL with more value than it has", 0, 0, 0, 0, 1<<20, rich, 0, vm.CALL)
	runs("CALL with memory", 64, 200, 33, 10, 0, stops, 0, vm.CALL)
	runs("CALL with all gas to what fails", 0, 0, 0, 0, 0, fails, vm.GAS, vm.CALL)
	runs("CALL of what destroys itself", 0, 0, 0, 0, 0, destroys, 100_000, vm.CALL)
	runs("STATICCALL of what stores", 0, 0, 0, 0, stores, 100_000, vm.STATICCALL)
	add(probe{Name: "the greatest depth", To: &target, Gas: 1 << 39, Code: code(0, 0, 0, 0, 0, vm.ADDRESS, vm.GAS, vm.CALL)})
	add(probe{Name: "the greatest depth, with fixed gas", To: &target, Gas: 8_000_000,
		Code: code(0, 0, 0, 0, 0, vm.ADDRESS, 8_000, vm.GAS, vm.SUB, vm.CALL)})
}

// deploys is init code that leaves so many zero bytes as code.
func deploys(size int) []byte { return code(size, 0, vm.RETURN) }

func creations() {
	create := func(op vm.OpCode, value int, init []byte, size int) []any {
		parts := []any{}
		for at := 0; at < len(init); at += 32 {
			chunk := make([]byte, 32)
			copy(chunk, init[at:])
			parts = append(parts, chunk, at, vm.MSTORE)
		}
		if op == vm.CREATE2 {
			parts = append(parts, 7)
		}
		return append(parts, size, 0, value, op)
	}
	for _, op := range []vm.OpCode{vm.CREATE, vm.CREATE2} {
		for _, size := range []int{0, 1, 32, 33, 1_000, 24_576, 49_152, 49_153, 131_072, 131_073} {
			runs(fmt.Sprintf("%s with %d bytes of init code", op, size), create(op, 0, nil, size)...)
		}
		for _, size := range []int{1, 32, 100, 24_576, 24_577} {
			init := deploys(size)
			runs(fmt.Sprintf("%s of %d bytes of code", op, size), create(op, 0, init, len(init))...)
		}
		runs(fmt.Sprintf("%s with value", op), create(op, 5, nil, 0)...)
		runs(fmt.Sprintf("%s with more value than it has", op), create(op, 1<<20, nil, 0)...)
	}
	for _, c := range []struct {
		name string
		init []byte
	}{
		{"that fails", code(vm.INVALID)}, {"that reverts", code(0, 0, vm.REVERT)}, {"that stores", code(1, 1, vm.SSTORE)},
		{"of code that begins with ef", code(0xef, 0, vm.MSTORE8, 1, 0, vm.RETURN)}, {"that destroys itself", code(nobody, vm.SELFDESTRUCT)},
	} {
		for _, op := range []vm.OpCode{vm.CREATE, vm.CREATE2} {
			runs(fmt.Sprintf("%s %s", op, c.name), create(op, 0, c.init, len(c.init))...)
		}
		add(probe{Name: "a creation " + c.name, Data: c.init})
		add(probe{Name: "a creation with value " + c.name, Data: c.init, Value: 3})
	}
	for _, size := range []int{0, 1, 24_576, 24_577, 32_768, 32_769, 65_536, 65_537} {
		add(probe{Name: fmt.Sprintf("a creation of %d bytes of code", size), Data: deploys(size), Gas: 16_000_000})
		add(probe{Name: fmt.Sprintf("a creation of %d bytes of code with much gas", size), Data: deploys(size), Gas: 200_000_000})
	}
}

func copies() {
	for _, size := range []int{0, 1, 32, 33, 1_000} {
		for _, op := range []vm.OpCode{vm.CALLDATACOPY, vm.CODECOPY, vm.MCOPY} {
			runs(fmt.Sprintf("%s of %d bytes", op, size), size, 0, 0, op)
		}
		runs(fmt.Sprintf("RETURNDATACOPY of %d bytes", size), 0, 0, size, 0, common.BytesToAddress([]byte{4}), 10_000, vm.STATICCALL, size, 0, 0, vm.RETURNDATACOPY)
		runs(fmt.Sprintf("KECCAK256 of %d bytes", size), size, 0, vm.KECCAK256)
		runs(fmt.Sprintf("RETURN of %d bytes", size), size, 0, vm.RETURN)
		runs(fmt.Sprintf("REVERT of %d bytes", size), size, 0, vm.REVERT)
		for topics := range 5 {
			parts := []any{}
			for range topics {
				parts = append(parts, 0)
			}
			runs(fmt.Sprintf("LOG%d of %d bytes", topics, size), append(parts, size, 0, vm.LOG0+vm.OpCode(topics))...)
		}
	}
	for _, at := range []int{0, 1, 1_023, 100_000, 1 << 20} {
		runs(fmt.Sprintf("MSTORE at %d", at), 1, at, vm.MSTORE)
		runs(fmt.Sprintf("MSTORE8 at %d", at), 1, at, vm.MSTORE8)
		runs(fmt.Sprintf("MLOAD at %d", at), at, vm.MLOAD)
	}
	for _, exponent := range [][]byte{{0}, {1}, {255}, {1, 0}, bytes.Repeat([]byte{255}, 32)} {
		runs(fmt.Sprintf("EXP by %x", exponent), exponent, 2, vm.EXP)
	}
}

func destructions() {
	for _, heir := range []struct {
		name string
		at   common.Address
	}{{"an account", rich}, {"nobody", nobody}, {"itself", target}} {
		runs("SELFDESTRUCT to "+heir.name, burn, heir.at, vm.SELFDESTRUCT)
	}
	runs("SELFDESTRUCT after BALANCE", rich, vm.BALANCE, rich, vm.SELFDESTRUCT)
	runs("SELFDESTRUCT of an account without balance to nobody", 0, 0, 0, 0, 1_000, rich, 0, vm.CALL, nobody, vm.SELFDESTRUCT)
}

func transactions() {
	for _, to := range []struct {
		name string
		at   common.Address
	}{
		{"an account", rich}, {"nobody", nobody}, {"itself", sender}, {"a contract", stops}, {"a precompile", common.BytesToAddress([]byte{4})},
		{"a delegated account", delegated}, {"the coinbase", coinbase}, {"what fails", fails}, {"what reverts", reverts},
	} {
		for value := range uint64(2) {
			add(probe{Name: fmt.Sprintf("a transaction to %s with value %d", to.name, value), To: &to.at, Value: value})
			add(probe{Name: fmt.Sprintf("a transaction to %s with value %d and too little gas", to.name, value), To: &to.at, Value: value, Gas: 4_000})
		}
	}
	for _, size := range []int{0, 1, 31, 32, 33, 1_000, 10_000} {
		for _, b := range []byte{0, 1} {
			data := bytes.Repeat([]byte{b}, size)
			add(probe{Name: fmt.Sprintf("a transaction with %d bytes %d", size, b), To: &rich, Data: data})
			add(probe{Name: fmt.Sprintf("a creation with %d bytes %d", size, b), Data: data})
			add(probe{Name: fmt.Sprintf("a creation with %d bytes %d and too little gas", size, b), Data: data, Gas: 4_000})
		}
		mixed := bytes.Repeat([]byte{0, 1, 2}, size/3)
		add(probe{Name: fmt.Sprintf("a transaction with %d mixed bytes", len(mixed)), To: &stops, Data: mixed})
		add(probe{Name: fmt.Sprintf("a transaction that runs, with %d mixed bytes", len(mixed)), To: &target, Code: join(burn, burn), Data: mixed})
	}
	for _, size := range []int{49_152, 49_153, 131_072, 131_073} {
		add(probe{Name: fmt.Sprintf("a creation with %d bytes of init code", size), Data: make([]byte, size), Gas: 16_000_000})
	}
	for _, gas := range []uint64{16_777_215, 16_777_216, 16_777_217, 1<<32 - 1, 1 << 32} {
		add(probe{Name: fmt.Sprintf("a transaction with %d gas", gas), To: &rich, Gas: gas})
		add(probe{Name: fmt.Sprintf("a transaction with %d gas that fails", gas), To: &fails, Gas: gas})
		add(probe{Name: fmt.Sprintf("a transaction with %d gas that stores", gas), To: &target, Code: code(1, 100, vm.SSTORE), Gas: gas})
	}
	lists()
	authorizations()
	for _, count := range []int{1, 6, 7} {
		add(probe{Name: fmt.Sprintf("%d blobs", count), Since: "cancun", To: &rich, Blobs: count})
	}
}

func lists() {
	slot := func(n int64) common.Hash { return common.BigToHash(big.NewInt(n)) }
	for _, l := range []struct {
		name     string
		accesses types.AccessList
	}{
		{"no", types.AccessList{}}, {"one address", types.AccessList{{Address: rich}}},
		{"one slot", types.AccessList{{Address: target, StorageKeys: []common.Hash{slot(1)}}}},
		{"two addresses and three slots", types.AccessList{{Address: target, StorageKeys: []common.Hash{slot(1), slot(2)}}, {Address: rich, StorageKeys: []common.Hash{slot(1)}}}},
		{"the same twice", types.AccessList{{Address: target, StorageKeys: []common.Hash{slot(1), slot(1)}}, {Address: target}}},
	} {
		add(probe{Name: "an access list of " + l.name, Since: "berlin", To: &rich, Accesses: l.accesses})
		add(probe{Name: "an access list of " + l.name + " and what reads it", Since: "berlin", To: &target, Accesses: l.accesses,
			Code: code(1, vm.SLOAD, rich, vm.BALANCE, 2, 1, vm.SSTORE)})
		add(probe{Name: "an access list of " + l.name + " and too little gas", Since: "berlin", To: &rich, Accesses: l.accesses, Gas: 4_000})
		add(probe{Name: "an access list of " + l.name + " and data", Since: "berlin", To: &rich, Accesses: l.accesses, Data: bytes.Repeat([]byte{1}, 2_000)})
	}
}

func authorizations() {
	sign := func(of uint64, to common.Address, chain int64) types.SetCodeAuthorization {
		signed, err := types.SignSetCode(other, types.SetCodeAuthorization{ChainID: *uint256.NewInt(uint64(chain)), Address: to, Nonce: of})
		if err != nil {
			panic(err)
		}
		return signed
	}
	own, err := types.SignSetCode(key, types.SetCodeAuthorization{ChainID: *uint256.NewInt(1), Address: stops, Nonce: 1})
	if err != nil {
		panic(err)
	}
	for _, a := range []struct {
		name string
		list []types.SetCodeAuthorization
	}{
		{"an authorization of a new account", []types.SetCodeAuthorization{sign(0, stops, 1)}},
		{"an authorization that is cleared", []types.SetCodeAuthorization{sign(0, common.Address{}, 1)}},
		{"an authorization that is set and cleared", []types.SetCodeAuthorization{sign(0, stops, 1), sign(1, common.Address{}, 1)}},
		{"an authorization that is set twice", []types.SetCodeAuthorization{sign(0, stops, 1), sign(1, fails, 1)}},
		{"an authorization of another nonce", []types.SetCodeAuthorization{sign(5, stops, 1)}},
		{"an authorization of another chain", []types.SetCodeAuthorization{sign(0, stops, 9)}},
		{"an authorization of every chain", []types.SetCodeAuthorization{sign(0, stops, 0)}},
		{"an authorization of the sender", []types.SetCodeAuthorization{own}},
		{"two authorizations", []types.SetCodeAuthorization{own, sign(0, stops, 1)}},
	} {
		for _, to := range []common.Address{rich, stranger, nobody} {
			add(probe{Name: fmt.Sprintf("%s, to %x", a.name, to[17:]), Since: "prague", To: &to, Authorities: a.list})
			add(probe{Name: fmt.Sprintf("%s, to %x with value", a.name, to[17:]), Since: "prague", To: &to, Authorities: a.list, Value: 1})
		}
		add(probe{Name: a.name + " and too little gas", Since: "prague", To: &rich, Authorities: a.list, Gas: 4_000})
	}
}
