package main

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

type account struct {
	Address common.Address `json:"address"`
	Balance *hexutil.Big   `json:"balance"`
	Nonce   hexutil.Uint64 `json:"nonce"`
	Code    hexutil.Bytes  `json:"code"`
	// Slots 1 to so many hold 1.
	Slots int `json:"slots"`
}

// probe is a transaction and what it costs.
type probe struct {
	Name  string `json:"name"`
	Since string `json:"-"`
	// The code of the recipient TARGET.
	Code hexutil.Bytes `json:"code,omitempty"`
	// null: a creation.
	To          *common.Address              `json:"to"`
	Data        hexutil.Bytes                `json:"data,omitempty"`
	Value       uint64                       `json:"value,omitempty"`
	Gas         uint64                       `json:"gas"`
	Accesses    types.AccessList             `json:"accesses,omitempty"`
	Authorities []types.SetCodeAuthorization `json:"authorities,omitempty"`
	Blobs       int                          `json:"blobs,omitempty"`
	// The gas used; `failed` follows where the message fails; the refusal of a transaction; from Amsterdam on also the gas
	// of execution and of state that the block counts.
	Outcome row `json:"outcome"`
}

const blockGas = 1 << 40

var coinbase = common.HexToAddress("0xc01bba5e")

// stub gives the block context what it asks of a chain.
type stub struct{ config *params.ChainConfig }

func (s stub) Config() *params.ChainConfig                 { return s.config }
func (s stub) CurrentHeader() *types.Header                { return nil }
func (s stub) GetHeader(common.Hash, uint64) *types.Header { return nil }
func (s stub) GetHeaderByNumber(uint64) *types.Header      { return nil }
func (s stub) GetHeaderByHash(common.Hash) *types.Header   { return nil }
func (s stub) Engine() consensus.Engine                    { return nil }

func (p probe) run(f fork) any {
	db := state.NewDatabaseForTesting()
	pre, err := state.New(types.EmptyRootHash, db)
	if err != nil {
		panic(err)
	}
	for _, a := range append(world(), account{Address: target, Balance: (*hexutil.Big)(big.NewInt(1_000)), Nonce: 1, Code: p.Code, Slots: 4}) {
		balance, _ := uint256.FromBig((*big.Int)(a.Balance))
		pre.SetBalance(a.Address, balance, tracing.BalanceChangeUnspecified)
		pre.SetNonce(a.Address, uint64(a.Nonce), tracing.NonceChangeUnspecified)
		pre.SetCode(a.Address, a.Code, tracing.CodeChangeUnspecified)
		for slot := 1; slot <= a.Slots; slot++ {
			pre.SetState(a.Address, common.BigToHash(big.NewInt(int64(slot))), common.BigToHash(big.NewInt(1)))
		}
	}
	root, err := pre.Commit(f.rules(), 0)
	if err != nil {
		panic(err)
	}
	now, err := state.New(root, db)
	if err != nil {
		panic(err)
	}
	header := &types.Header{Number: big.NewInt(1), Time: 1, GasLimit: blockGas, Difficulty: big.NewInt(0x20000)}
	if f.merged {
		header.Difficulty = new(big.Int)
	}
	rules := f.rules()
	if rules.IsLondon {
		header.BaseFee = new(big.Int)
	}
	if rules.IsCancun {
		header.ExcessBlobGas = new(uint64)
	}
	if rules.IsAmsterdam {
		header.SlotNumber = new(uint64)
	}
	message := &core.Message{
		To: p.To, From: sender, Value: uint256.NewInt(p.Value), GasLimit: p.Gas, Data: p.Data, AccessList: p.Accesses,
		GasPrice: new(uint256.Int), GasFeeCap: new(uint256.Int), GasTipCap: new(uint256.Int),
		SetCodeAuthorizations: p.Authorities,
	}
	if p.Blobs > 0 {
		message.BlobGasFeeCap = uint256.NewInt(1)
	}
	for i := range p.Blobs {
		message.BlobHashes = append(message.BlobHashes, common.Hash{1, byte(i)})
	}
	evm := vm.NewEVM(core.NewEVMBlockContext(header, stub{f.config}, &coinbase), now, f.config, vm.Config{})
	pool := core.NewGasPool(blockGas)
	result, err := core.ApplyMessage(evm, message, pool)
	if err != nil {
		return "refused: " + err.Error()
	}
	out := fmt.Sprint(result.UsedGas)
	if result.Failed() {
		out += " failed"
	}
	if rules.IsAmsterdam {
		out += fmt.Sprintf(" %d+%d", pool.CumulativeExecution(), pool.CumulativeState())
	}
	return out
}
