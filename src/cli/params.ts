// `kestrel params`: shows the parameters of the EVM and its fee market on a running chain and proposes changes.
import type { Command } from 'commander'
import { z } from 'zod'
import { integer, readFlags } from './flags.ts'
import {
  readConsensusParams,
  readEvmParams,
  readFeeMarketParams,
  readKnownProposals,
  readUpgrades,
} from './gov/chain-queries.ts'
import { row } from './gov/output.ts'
import { registerPropose } from './gov/submit.ts'
import { print } from './native/answers.ts'
import { nodeFlags, withNodeFlags } from './native/sender.ts'
import { withNode } from './rpc-client.ts'

/** What governance has set. */
function consensusLines({
  gasLimit,
  maxBytes,
  blockTimeMs,
}: Pick<Awaited<ReturnType<typeof readConsensusParams>>, 'gasLimit' | 'maxBytes' | 'blockTimeMs'>): string[] {
  return [
    ...(gasLimit === null ? [] : [`gas limit towards ${gasLimit}`]),
    ...(maxBytes === null ? [] : [`at most ${maxBytes} bytes`]),
    ...(blockTimeMs === null ? [] : [`every ${Number(blockTimeMs) / 1_000} s`]),
  ]
}

const flags = z.object({ ...nodeFlags, block: integer(0n, 2n ** 64n - 1n).optional() })

export function register(params: Command): void {
  params.addHelpText(
    'after',
    `
To activate kestrel_0 on a development chain:
  kestrel params propose --activate kestrel_0
  kestrel gov vote 1 yes --from validators --wait
  kestrel params show`,
  )
  withNodeFlags(
    params
      .command('show')
      .description('show the parameters')
      .option('--block <number>', 'the parameters after this block (default: the head)'),
  ).action(async (given) => {
    const { rpcUrl, json, block } = readFlags(flags, given)
    await withNode(rpcUrl, async (node) => {
      const number = block ?? (await node.viem.getBlockNumber({ cacheTime: 0 }))
      const [{ extraEips }, { minBaseFee }, consensus, proposals, upgrades] = await Promise.all([
        readEvmParams(node, number),
        readFeeMarketParams(node, number),
        readConsensusParams(node, number),
        readKnownProposals(node, number),
        readUpgrades(node),
      ])
      const titled = (name: string) => `${name.padEnd(16)}${proposals.find((of) => of.name === name)?.title ?? ''}`
      // The names `ethereum_…` exist for compatibility with Evmos' parameters; activating them changes nothing.
      const choice = proposals.filter(({ name, active }) => !active && !name.startsWith('ethereum_'))
      print(
        json,
        {
          block: Number(number),
          activeProposals: extraEips,
          minBaseFee: minBaseFee?.toString() ?? null,
          consensus: Object.fromEntries(
            (['gasLimit', 'maxBytes', 'blockTimeMs'] as const).map((name) => [
              name,
              consensus[name]?.toString() ?? null,
            ]),
          ),
          proposals,
          upgrades,
        },
        [
          `Parameters of the EVM after block ${number}`,
          ...row('Active', ...(extraEips.length === 0 ? ['no improvement proposal'] : extraEips.map(titled))),
          ...row('Inactive', ...choice.map(({ name }) => titled(name))),
          ...row(
            'Base fee',
            ...(minBaseFee === null ? [] : [minBaseFee === 0n ? 'no floor' : `at least ${minBaseFee} wei`]),
          ),
          ...row('Blocks', ...consensusLines(consensus)),
          ...row(
            'Upgrades',
            ...upgrades.map(({ name, height, info }) => `${name} at block ${height}${info ? `: ${info}` : ''}`),
          ),
        ],
      )
    })
  })
  registerPropose(params)
}
