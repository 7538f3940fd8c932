// A chain with the contract of `test/contracts/storage/ledger.sol`, known by a build of the developer.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import type { withClients } from './chain.ts'
import { compile } from './solc.ts'

const path = 'contracts/ledger.sol'
const content = readFileSync(join(import.meta.dirname, '../contracts/storage/ledger.sol'), 'utf8')
const input = {
  language: 'Solidity',
  sources: { [path]: { content } },
  settings: {
    evmVersion: 'prague',
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } },
  },
}

/** Adds the build to the node, unless the contract is to be unknown, and deploys. */
export async function deployLedger({ rpc, alice }: ReturnType<typeof withClients>, isKnown = true) {
  const output = compile(input)
  const contracts = output.contracts?.[path] ?? {}
  if (isKnown) await rpc('hardhat_addCompilationResult', '0.8.37', input, output)
  const abi: Abi = contracts['Ledger']?.abi ?? []

  const sendFrom = async (from: Hex, fields: object): Promise<Hex> =>
    (await rpc('eth_sendTransaction', { from, gas: '0x200000', ...fields })) as Hex
  const create = async (name: string, args: readonly unknown[]): Promise<Hex> => {
    const { abi = [], evm } = contracts[name] ?? {}
    const bytecode: Hex = `0x${evm?.bytecode.object}`
    const hash = await sendFrom(alice.address, { data: encodeDeployData({ abi, bytecode, args }) })
    const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
    return receipt.contractAddress
  }
  const address = await create('Ledger', [1_000n])
  /** Sends a call; `to`: the proxy. */
  const call = (functionName: string, args: readonly unknown[], from: Hex = alice.address, to: Hex = address) =>
    sendFrom(from, { to, data: encodeFunctionData({ abi, functionName, args }) })
  return { address, call, createProxy: () => create('LedgerProxy', [address]), content, path }
}
