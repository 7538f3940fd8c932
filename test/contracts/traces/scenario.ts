// A chain on which the contracts of `scenario.sol` are deployed, and known by their build.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { testChain } from '../../support/chain.ts'
import { compile } from '../../support/solc.ts'

export const FILE = 'contracts/Scenario.sol'
export const SOURCE = readFileSync(join(import.meta.dirname, 'scenario.sol'), 'utf8')

export const SHOP_FILE = 'contracts/Shop.sol'
export const SHOP = readFileSync(join(import.meta.dirname, 'shop.sol'), 'utf8')

/** The number of the first line with a text. */
export const lineWith = (text: string): number => SOURCE.slice(0, SOURCE.indexOf(text)).split('\n').length

export async function tracedChain() {
  const chain = await compiledChain(FILE, SOURCE)
  return { ...chain, vault: await chain.deploy('Vault'), caller: await chain.deploy('Caller') }
}

/** A chain that knows the contracts of a source. */
export async function compiledChain(file: string, source: string) {
  const chain = await testChain()
  const { rpc, raw, alice } = chain
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'metadata'] } }
  const settings = { optimizer: { enabled: true, runs: 200 }, evmVersion: 'cancun', outputSelection }
  const input = { language: 'Solidity', sources: { [file]: { content: source } }, settings }
  const output = compile(input)
  await rpc('hardhat_addCompilationResult', '0.8.30', input, output)

  /** Sends a transaction, which may fail; its hash. */
  const send = async (fields: object): Promise<Hex> => {
    const sent = await raw('eth_sendTransaction', { from: alice.address, gas: '0x2dc6c0', ...fields })
    return (sent.result ?? (sent.error?.data as { txHash?: Hex } | undefined)?.txHash) as Hex
  }
  const deploy = async (name: string, ...args: unknown[]) => {
    const { abi, evm } = output.contracts?.[file]?.[name] ?? { abi: [] as Abi, evm: { bytecode: { object: '' } } }
    const data = encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args })
    const hash = await send({ data })
    const { contractAddress: address } = (await rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
    const call = (functionName: string, ...args: unknown[]) =>
      send({ to: address, data: encodeFunctionData({ abi, functionName, args }) })
    return { address, abi, call }
  }
  return { ...chain, send, deploy }
}
