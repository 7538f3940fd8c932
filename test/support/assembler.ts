// Small contracts written as opcodes: `asm('PUSH1 0x01', 'PUSH0', 'SSTORE')`.
import { type Hex, toHex } from 'viem'
import { opcodeOf } from '../../src/evm/opcodes.ts'
import type { withClients } from './chain.ts'

const CODES = new Map(Array.from({ length: 256 }, (_, code) => [opcodeOf(code).name, code] as const))

/** Bytecode of these opcodes; the immediate bytes of `PUSHn` follow after a space. Throws for an unknown name. */
export function asm(...lines: readonly string[]): Hex {
  const bytes = lines.map((line) => {
    const [name = '', argument = '0x'] = line.split(' ')
    const push = /^PUSH([1-9]\d?)$/.exec(name)
    const code = push ? 0x5f + Number(push[1]) : CODES.get(name)
    if (code === undefined) throw new Error(`unknown opcode ${name}`)
    const digits = argument.slice(2)
    if (push && digits.length !== Number(push[1]) * 2) throw new Error(`${line}: wrong number of bytes`)
    return code.toString(16).padStart(2, '0') + digits
  })
  return `0x${bytes.join('')}`
}

/** Calls an address with all gas and all other arguments zero; leaves the success flag on the stack. */
export const call = (to: string, { kind = 'CALL', gas = '0xffff', value = '0x00' } = {}): string[] => [
  ...['PUSH0', 'PUSH0', 'PUSH0', 'PUSH0'],
  ...(kind === 'CALL' || kind === 'CALLCODE' ? [`PUSH1 ${value}`] : []),
  `PUSH20 ${to}`,
  `PUSH2 ${gas}`,
  kind,
]

/** Returns the word on top of the stack. */
export const returnTop = ['PUSH0', 'MSTORE', 'PUSH1 0x20', 'PUSH0', 'RETURN'] as const

/** Deploys contracts at new addresses, and sends transactions from the first account. */
export function playground({ rpc, alice }: Pick<ReturnType<typeof withClients>, 'rpc' | 'alice'>) {
  let next = 0xc0de00
  return {
    alice: alice.address.toLowerCase() as Hex,
    async contract(code: Hex, balance = 0n): Promise<Hex> {
      const address = `0x${(++next).toString(16).padStart(40, '0')}` as const
      await rpc('anvil_setCode', address, code)
      if (balance > 0n) await rpc('anvil_setBalance', address, toHex(balance))
      return address
    },
    /** Settles when the transaction is mined. */
    async send(to: Hex | undefined, { gas = 200_000, value = 0n, data = '0x' as Hex } = {}): Promise<Hex> {
      const request = { from: alice.address, to, gas: toHex(gas), value: toHex(value), data }
      return (await rpc('eth_sendTransaction', request)) as Hex
    },
    // biome-ignore lint/suspicious/noExplicitAny: answers are compared as they come
    rpc: (method: string, ...params: unknown[]): Promise<any> => rpc(method, ...params),
  }
}

/** Code that reverts with the data, which follows its 12 bytes. */
export function revertingWith(data: Hex): Hex {
  const size = `0x${((data.length - 2) / 2).toString(16).padStart(4, '0')}`
  return `${asm(`PUSH2 ${size}`, 'PUSH1 0x0c', 'PUSH0', 'CODECOPY', `PUSH2 ${size}`, 'PUSH0', 'REVERT')}${data.slice(2)}`
}
