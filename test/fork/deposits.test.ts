// Deposits on a fork (EIP-6110): the contract whose logs are requests is the forked chain's, by its eth_config (EIP-7910).
import { concat, encodeAbiParameters, type Hex, sha256, toHex } from 'viem'
import { expect, it, onTestFinished } from 'vitest'

import { asm } from '../support/assembler.ts'
import { chainToFork, forkOf } from '../support/forked.ts'
import { temporaryFolder } from '../support/process.ts'

const CONTRACT = '0x00000000219ab540356cbb839cbe05303d7705fa'
// keccak256("DepositEvent(bytes,bytes,bytes,bytes,bytes)"), in EIP-6110.
const TOPIC = '649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'
/** Logs its calldata as a deposit. */
const LOG = asm('CALLDATASIZE', 'PUSH0', 'PUSH0', 'CALLDATACOPY', `PUSH32 0x${TOPIC}`, 'CALLDATASIZE', 'PUSH0', 'LOG1')

it('deposits are requests of the block, also after a restart', async () => {
  await using forked = await chainToFork()
  const { origin, proxy } = forked
  await origin.request('anvil_setCode', [CONTRACT, LOG])
  const config = await origin.request<{ current: object }>('eth_config')
  const current = { ...config.current, systemContracts: { DEPOSIT_CONTRACT_ADDRESS: CONTRACT } }
  proxy.spoil = ({ method }) => (method === 'eth_config' ? { result: { ...config, current } } : undefined)
  const { path: datadir, remove } = await temporaryFolder()
  onTestFinished(remove)
  const fields = [48, 32, 8, 96, 8].map((length, index) => toHex(new Uint8Array(length).fill(index + 1)))
  const data = encodeAbiParameters(Array(5).fill({ type: 'bytes' }), fields)
  // EIP-7685: the hash of the hashes of each type with its requests; type 0 are deposits.
  const expected = sha256(sha256(concat(['0x00', ...fields])))
  for (let start = 0; start < 2; start++) {
    await using fork = await forkOf(proxy, { datadir })
    await fork.request('eth_sendTransaction', [{ from: fork.accounts[0]?.address, to: CONTRACT, data }])
    const block = await fork.request<{ requestsHash: Hex }>('eth_getBlockByNumber', ['latest', false])
    expect(block.requestsHash).toBe(expected)
  }
}, 60_000)
