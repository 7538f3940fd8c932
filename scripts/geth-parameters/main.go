// Prints what go-ethereum does in each fork, as JSON: the jump table, the prices of the precompiles, and the gas of transactions
// that each need one parameter. test/evm/geth-parameters.test.ts compares the node with it.
//
//	go run . | gzip -9n > ../../test/evm/geth-parameters.json.gz
//
// Rows of values by fork hold only the forks from which on a value differs.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
)

// row is a list of [fork, value].
type row [][2]any

// byFork asks for a value in each fork from the first one on, and leaves out what repeats.
func byFork(since string, value func(fork) any) row {
	var out row
	began := false
	for _, f := range forks {
		began = began || f.name == since
		if !began {
			continue
		}
		v := value(f)
		if n := len(out); n > 0 && reflect.DeepEqual(out[n-1][1], v) {
			continue
		}
		out = append(out, [2]any{f.name, v})
	}
	return out
}

type opcode struct {
	Code int    `json:"code"`
	Name string `json:"name"`
	// null, or [constant gas, minimum stack, maximum stack, whether it has dynamic gas, whether it has a memory size].
	Rows row `json:"rows"`
}

func opcodes() []opcode {
	var out []opcode
	for code := range 256 {
		rows := byFork(first, func(f fork) any {
			table, err := vm.LookupInstructionSet(f.rules())
			if err != nil {
				panic(err)
			}
			op := reflect.ValueOf(table[code]).Elem()
			if op.FieldByName("undefined").Bool() {
				return nil
			}
			return []any{
				op.FieldByName("constantGas").Uint(), op.FieldByName("minStack").Int(), op.FieldByName("maxStack").Int(),
				!op.FieldByName("dynamicGas").IsNil(), !op.FieldByName("memorySize").IsNil(),
			}
		})
		if len(rows) == 1 && rows[0][1] == nil {
			continue
		}
		out = append(out, opcode{code, vm.OpCode(code).String(), rows})
	}
	return out
}

type precompile struct {
	Address common.Address `json:"address"`
	Input   hexutil.Bytes  `json:"input"`
	// null: the fork does not have it.
	Gas row `json:"gas"`
}

func precompiles() []precompile {
	var out []precompile
	inputs := precompileInputs()
	for _, number := range slices.Sorted(maps.Keys(inputs)) {
		address := common.BytesToAddress([]byte{byte(number >> 8), byte(number)})
		for _, input := range inputs[number] {
			out = append(out, precompile{address, input, byFork(first, func(f fork) any {
				contract, ok := vm.ActivePrecompiledContracts(f.rules())[address]
				if !ok {
					return nil
				}
				return fmt.Sprint(contract.RequiredGas(input))
			})})
		}
	}
	return out
}

func main() {
	out := map[string]any{
		"geth":        "1.17.10",
		"forks":       names(),
		"opcodes":     opcodes(),
		"precompiles": precompiles(),
		"limits":      limits(),
		"blobs":       blobs(),
		"accounts":    world(),
		"probes":      probes(),
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}

// limits are numbers that are constants of go-ethereum, or the same in all forks that have them.
func limits() map[string]any {
	return map[string]any{
		"stack":                params.StackLimit,
		"callDepth":            params.CallCreateDepth,
		"minGasLimit":          params.MinGasLimit,
		"maxGasLimit":          fmt.Sprint(params.MaxGasLimit),
		"gasLimitBoundDivisor": params.GasLimitBoundDivisor,
		"extraData":            params.MaximumExtraDataSize,
		"baseFeeDenominator":   params.DefaultBaseFeeChangeDenominator,
		"elasticity":           params.DefaultElasticityMultiplier,
		"initialBaseFee":       params.InitialBaseFee,
		"blobGas":              params.BlobTxBlobGasPerBlob,
		"minBlobBaseFee":       params.BlobTxMinBlobGasprice,
		"blobBaseCost":         params.BlobBaseCost,
		"historyServeWindow":   params.HistoryServeWindow,
		"maxBlockSize":         params.MaxBlockSize,
		"maxTransactionGas":    params.MaxTxGas,
		"maxTotalGas":          params.MaxTxTotalGas,
		"accessListItem":       params.BALItemCost,
		"systemAddress":        params.SystemAddress,
	}
}

func blobs() map[string]*params.BlobConfig {
	return map[string]*params.BlobConfig{
		"cancun": params.DefaultCancunBlobConfig, "prague": params.DefaultPragueBlobConfig,
		"bpo1": params.DefaultBPO1BlobConfig, "bpo2": params.DefaultBPO2BlobConfig,
	}
}
