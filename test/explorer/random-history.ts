// A random history, the same in every run: transfers of coins and of all kinds of tokens, batches, inner calls, creations.
import { encodeFunctionData, type Hex, parseEther, toHex } from 'viem'
import { account } from '../support/chain.ts'
import { type Scenario, ZERO } from './scenario.ts'

// biome-ignore lint/suspicious/noExplicitAny: an ABI
type Any = any

/** Numbers below a bound, the same in every run (a linear congruential generator, Numerical Recipes' constants). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const BLOCKS = 44
export const people = [0, 1, 2, 3, 4].map((index) => account(index).address)

/** Contracts of all kinds of tokens, and blocks of up to seven random transactions. */
export async function playRandomly({ deploy, rpc, walletOf }: Scenario) {
  const random = randomNumbers(7)
  const coin = await deploy('Coin', ['Silver', 'SLV', 6, 1_000_000_000n])
  const wrapped = await deploy('Wrapped', [false])
  const art = await deploy('Art', [false])
  const items = await deploy('Items')
  const frames = await deploy('Frames')
  const factory = await deploy('Factory')
  await rpc('evm_setAutomine', false)
  const gas = 2_000_000n
  let id = 1n
  const someone = () => people[random(people.length)] ?? ZERO
  const send = async (of: { address: Hex; abi: Any }, functionName: string, args: readonly unknown[], value = 0n) => {
    const data = encodeFunctionData({ abi: of.abi, functionName, args })
    await walletOf(random(3)).sendTransaction({ to: of.address, data, value, gas })
  }
  const actions: readonly (() => Promise<unknown>)[] = [
    () => walletOf(random(3)).sendTransaction({ to: someone(), value: parseEther(`0.${random(4)}5`), gas }),
    () => walletOf(random(3)).sendTransaction({ to: someone(), value: 0n, gas }),
    () => send(coin, 'transfer', [someone(), BigInt(random(4)) * 500_000n]),
    () => send(coin, 'spread', [people.slice(0, 1 + random(5)), BigInt(random(3))]),
    () => send(wrapped, 'deposit', [], parseEther('0.25')),
    () => send(wrapped, 'withdraw', [parseEther('0.1')]),
    () => send(art, 'mint', [someone(), id++]),
    () => send(items, 'mintBatch', [someone(), [1n, 2n, 3n].slice(0, 1 + random(3)), [5n, 6n, 7n].slice(0, 1)]),
    () => send(items, 'mintBatch', [someone(), [1n, 2n, 3n], [5n, 6n, 7n]]),
    () => send(frames, 'descend', [BigInt(random(4)), 1n]),
    () => send(factory, 'make', [BigInt(random(3))]),
    () => walletOf(random(3)).sendTransaction({ data: '0x600160005500', gas }),
  ]
  for (let block = 0; block < BLOCKS; block++) {
    for (let i = random(7); i >= 0; i--) await actions[random(actions.length)]?.()
    await rpc('evm_increaseTime', toHex(1 + random(100)))
    await rpc('evm_mine')
  }
  return { coin, wrapped, art, items, frames, factory }
}
