// What JSON-RPC answers on a chain with Amsterdam in its middle. go-ethereum 1.17.10, which had imported the same blocks, has answered the
// same.
import { expect, it } from 'vitest'
import { encodeBlock } from '../../src/primitives/block.ts'
import { ACCEPTED, amsterdamChain, amsterdamChainSpec } from '../support/amsterdam-chain.ts'
import { testChain } from '../support/chain.ts'

const made = await amsterdamChain()

async function imported() {
  const test = await testChain({
    spec: amsterdamChainSpec(),
    automine: false,
    rpc: { development: false, testing: true },
  })
  for (const { block } of made) await test.node.chain.importBlock(encodeBlock(block))
  return test
}

const sender = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'
/** With two words of input it stores the second in the slot of the first. */
const store = '0xf2e246bb76df876cef8b38ae84130f4f55de395b'
const word = (value: number): string => value.toString(16).padStart(64, '0')
const calls = [
  { from: sender, to: `0x${'11'.repeat(20)}`, value: '0x5' },
  { from: sender, to: store, input: `0x${word(0x44)}${word(1)}`, gas: '0x100000' },
]

it('eth_config names the system contracts of the fork, and the blobs of the newest fork that changed them', async () => {
  const { rpc } = await imported()
  expect(await rpc('eth_config')).toEqual({
    current: {
      activationTime: 40,
      blobSchedule: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
      chainId: '0x539',
      forkId: '0x3130b613',
      precompiles: expect.objectContaining({ P256VERIFY: '0x0000000000000000000000000000000000000100' }),
      systemContracts: {
        BEACON_ROOTS_ADDRESS: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
        BUILDER_DEPOSIT_CONTRACT_ADDRESS: '0x0000bff46984e3725691fa540a8c7589300d8282',
        BUILDER_EXIT_CONTRACT_ADDRESS: '0x000064d678505ad48f8ccb093bc65613800e8282',
        CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: '0x0000bbddc7ce488642fb579f8b00f3a590007251',
        DEPOSIT_CONTRACT_ADDRESS: '0x0000000000000000000000000000000000000000',
        HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935',
        WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: '0x00000961ef480eb55e80d19ad83579a64c007002',
      },
    },
    next: null,
    last: null,
  })
})

it('simulated blocks have access lists, and the transfer logs of the protocol only', async () => {
  const { rpc } = await imported()
  for (const traceTransfers of [false, true]) {
    const blocks = await rpc(
      'eth_simulateV1',
      { traceTransfers, blockStateCalls: [{ calls }, { calls: [] }] },
      'latest',
    )
    expect(blocks).toMatchObject([
      {
        hash: '0xc65c334ce09ef31102c09dec6a55ef2f192b5a611cdd28aac09c1b6f3eccc9a2',
        gasUsed: '0x44bb0',
        blockAccessListHash: '0x3da038b7aee2d571434d4d9a349f3b4c1bcdf5c3467c7d8840e4fc856090f208',
        slotNumber: '0xa',
        calls: [{ logs: [{ address: '0xfffffffffffffffffffffffffffffffffffffffe' }] }, { logs: [] }],
      },
      {
        hash: '0x6c9184e75e201a9a172c138a87c9b069551353143cee02648a4452d019c01687',
        blockAccessListHash: '0x226098052beeb2514069a4d52cfb075e11424182c1f94424981b156c7f3ea5f8',
      },
    ])
  }
})

it('a simulated call reserves its gas in both dimensions, and with validation execution gas up to its cap', async () => {
  const { rpc, raw } = await imported()
  const all = { from: sender, to: store, gas: '0x5f5e100' }
  const { error } = await raw('eth_simulateV1', { blockStateCalls: [{ calls: [...calls, all] }] }, 'latest')
  const message = 'block gas limit reached: remaining: 99718480, required: 100000000'
  expect(error).toMatchObject({ code: -38015, message })
  const fee = { maxFeePerGas: '0x77359400' }
  const valid = [
    { from: sender, to: sender, gas: '0x100000', ...fee },
    { ...all, ...fee },
  ]
  const blocks = await rpc('eth_simulateV1', { validation: true, blockStateCalls: [{ calls: valid }] }, 'latest')
  expect(blocks).toMatchObject([
    { hash: '0x9e1b5bcc6121eaf13e5aa1e5ac37388934e193928937c30872cb20d37785cb8e', gasUsed: '0x71d3' },
  ])
})

it('a block is built with the slot and the gas limit of its payload attributes, and answered with its access list', async () => {
  const { rpc } = await imported()
  const attributes = {
    timestamp: '0x78',
    prevRandao: `0x${'01'.repeat(32)}`,
    suggestedFeeRecipient: `0x${'22'.repeat(20)}`,
    withdrawals: [{ index: '0x0', validatorIndex: '0x1', address: `0x${'33'.repeat(20)}`, amount: '0x5' }],
    parentBeaconBlockRoot: `0x${'02'.repeat(32)}`,
    slotNumber: '0x77',
    targetGasLimit: '0x5f5e100',
  }
  const built = (await rpc('testing_buildBlockV1', ACCEPTED.at(-1), attributes, [], '0x')) as {
    executionPayload: { blockAccessList: string }
  }
  expect(built.executionPayload).toMatchObject({
    blockHash: '0xd56de43761650a9099ba9b875366c4986a573046b6ff4e78334d7684a3b28953',
    gasLimit: '0x5f5e100',
    slotNumber: '0x77',
    blockAccessList: expect.stringContaining('33'.repeat(20)),
  })
})
