// Coins: one balance for each account, in base units, and the supply.
import { lockedCoins } from './schedule.ts'
import { type Address, refuseIf, type State } from './state.ts'

/** Accounts of modules: the first 20 bytes of the SHA-256 of the name. */
export const MODULE = {
  feeCollector: '0xf1829676db577682e944fc3493d451b67ff3e29f',
  distribution: '0x93354845030274cd4bf1686abd60ab28ec52e1a7',
  bonded: '0x4fea76427b8345861e80a3540a8a9d936fd39391',
  notBonded: '0x5911b844d7bc224654fe0dcd16babd2d253f2fdf',
  gov: '0x7b5fe22b5446f7c62ea27b8bd71cef94e03f3df2',
} as const satisfies Record<string, Address>

export const balanceOf = (state: State, account: Address): bigint => state.balances.get(account) ?? 0n

export function credit(state: State, account: Address, amount: bigint): void {
  state.balances.set(account, balanceOf(state, account) + amount)
}

/** Takes coins whatever their vesting; refuses more than there are. */
export function debit(state: State, account: Address, amount: bigint): void {
  refuseIf(balanceOf(state, account) < amount, 'insufficient funds')
  state.balances.set(account, balanceOf(state, account) - amount)
}

/** Moves spendable coins. */
export function send(state: State, from: Address, to: Address, amount: bigint): void {
  refuseIf(balanceOf(state, from) - lockedCoins(state, from) < amount, 'insufficient unlocked coins')
  debit(state, from, amount)
  credit(state, to, amount)
}

export function mint(state: State, to: Address, amount: bigint): void {
  credit(state, to, amount)
  state.supply += amount
}

export function burn(state: State, from: Address, amount: bigint): void {
  debit(state, from, amount)
  state.supply -= amount
}
