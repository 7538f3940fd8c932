// Makes a native contract from a typed ABI and one handler per function. The ABI is generated from the Solidity interface
// (solidity/), so a new function is added there, and here with its gas and handler. All guards, the gas of the input and the
// encoding of errors are here; a handler contains only what its function does.

import type { Abi, AbiEvent, AbiFunction } from 'abitype'
import { getAddress, toFunctionSignature } from 'viem'
import { maxMessageGasBig } from '../evm/gas/call-gas.ts'
import type { InnerMessage, NativeBlock, NativeCall, NativeContract, NativeResult } from '../evm/native-call.ts'
import { ChainError, ReadFailure } from '../lib/errors.ts'
import { type Address, EMPTY_BYTES, fromHex, type Hex, toHex } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import { type Modules, openModules } from '../modules/index.ts'
import type { Report } from '../modules/module.ts'
import type { Log } from '../primitives/types.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import { decodeValues, encodeLog, encodeValues, errorString, type ValueOf, type ValuesOf } from './abi.ts'
import { GasMeter, MeteredView, OutOfGas, workPrices } from './metered-view.ts'
import { entriesOf, type NamedAbi } from './named-abi.ts'

/** The context of a view function. */
export type ReadCall = {
  readonly caller: Address
  readonly origin: Address
  /** Wei; zero unless the function is payable. */
  readonly value: bigint
  readonly block: NativeBlock
  readonly spec: NativeSpec
  readonly modules: Modules
  codeOf(account: Address): Uint8Array
  /**
   * Charges the fixed gas of an item before it is processed; ends the call if the gas does not suffice. State accesses that the
   * fixed prices do not cover are charged in addition (`metered-view.ts`).
   */
  charge(gas: bigint): void
}

/** The context of a function that may change the state. */
export type WriteCall<A extends NamedAbi> = ReadCall & {
  /** Logs an event under the precompile's address. */
  emit<E extends keyof A['events'] & string>(event: E, args: EventArgs<A['events'][E]>): void
  /** Logs an event of another native contract under that contract's address. */
  emitOf<B extends NamedAbi, E extends keyof B['events'] & string>(
    contract: { readonly address: Address; readonly abi: B },
    event: E,
    args: EventArgs<B['events'][E]>,
  ): void
  /**
   * Calls another contract with all but one 64th of the gas (EIP-150), charges what it used, and returns its output; its logs
   * are added to this call's in order. The contract may call back, so read the state again afterwards. Throws ChainError with
   * the contract's revert data if it fails.
   */
  callContract(message: ContractCall): Promise<Uint8Array>
}

export type ContractCall = Omit<InnerMessage, 'gasLimit'>

type FunctionName<A extends NamedAbi> = keyof A['functions'] & string
type CallOf<A extends NamedAbi, F extends AbiFunction> = F['stateMutability'] extends 'view' | 'pure'
  ? ReadCall
  : WriteCall<A>
export type EventArgs<E extends AbiEvent> = {
  readonly [P in E['inputs'][number] as P['name'] & string]: ValueOf<P>
}

/**
 * One handler for each function of the ABI: takes the arguments in order, returns the results as a tuple, or a promise of it if
 * it calls contracts. It refuses by throwing a ChainError.
 */
export type Functions<A extends NamedAbi> = {
  readonly [N in FunctionName<A>]: (
    call: CallOf<A, A['functions'][N]>,
    ...args: ValuesOf<A['functions'][N]['inputs']>
  ) => Eventually<ValuesOf<A['functions'][N]['outputs']>>
}
type Eventually<T> = T | Promise<T>

/** A function of a native contract with its implementation. */
export type Method = {
  readonly abi: AbiFunction
  /** The events it may emit, by name. */
  readonly events: Readonly<Record<string, AbiEvent>>
  readonly isView: boolean
  readonly gas: bigint
  run(call: WriteCall<NamedAbi>, ...args: readonly unknown[]): Eventually<readonly unknown[]>
}

/**
 * Implements functions of an ABI, all or some of them. `gas`: the price of each implemented function, in addition to that of
 * its input.
 */
export function implement<const A extends NamedAbi, const K extends FunctionName<A>>(
  abi: A,
  of: { readonly gas: { readonly [N in K]: bigint }; readonly functions: Pick<Functions<A>, NoInfer<K>> },
): { readonly [N in K]: Method }
export function implement(
  { functions, events }: NamedAbi,
  of: { readonly gas: Readonly<Record<string, bigint>>; readonly functions: Readonly<Record<string, unknown>> },
): Readonly<Record<string, Method>> {
  const methods = Object.entries(of.gas).map(([name, gas]): [string, Method] => {
    const abi = functions[name]
    if (abi === undefined) throw new TypeError(`the ABI has no function ${name}`)
    const isView = abi.stateMutability === 'view' || abi.stateMutability === 'pure'
    // The types above guarantee that the handler belongs to this entry.
    return [name, { abi, events, isView, gas, run: of.functions[name] as Method['run'] }]
  })
  return Object.fromEntries(methods)
}

/**
 * The same functions under another ABI, which has the same inputs and results. Events may differ in the types of their values: the
 * functions give what the chain's interfaces ask for.
 */
export function underAbi<const A extends NamedAbi, const N extends FunctionName<A>>(
  abi: A,
  methods: { readonly [K in N]: Method },
): { readonly [K in N]: Method }
export function underAbi(
  { functions, events }: NamedAbi,
  methods: Readonly<Record<string, Method>>,
): Readonly<Record<string, Method>> {
  const moved = Object.entries(methods).map(([name, method]): [string, Method] => {
    const abi = functions[name]
    if (abi === undefined || shapeOf(abi) !== shapeOf(method.abi)) throw new TypeError(`the ABIs differ in ${name}`)
    return [name, { ...method, abi, events }]
  })
  return Object.fromEntries(moved)
}

/** Names and types of a function's inputs and results. */
const shapeOf = ({ inputs, outputs }: AbiFunction): string =>
  JSON.stringify([inputs, outputs], (key, value) => (key === 'internalType' ? undefined : value))

/** First four bytes of the signature's hash. viem hashes in pure JavaScript, which slows the start. */
const selectorOf = (abi: AbiFunction): Hex => toHex(keccak256(Buffer.from(toFunctionSignature(abi))).subarray(0, 4))

export type Precompile = {
  readonly name: string
  readonly address: Address
  /** First block in which it exists; a new precompile must not change older blocks. */
  readonly since: bigint
  /** Whether a chain has it: precompiles of later modules exist only if the genesis names the module. */
  isOn(spec: NativeSpec): boolean
  /** Functions and events, with the Solidity type of each value. */
  readonly abi: Abi
  /** Folder within `solidity/` that has its interface. */
  readonly folder: string
  /** The contract on a chain; `report` is called for internal errors. */
  on(spec: NativeSpec, report: FaultReport, checkProposals?: CheckProposals): NativeContract
}

/** Reports an internal error to the operator. */
export type FaultReport = Report

/** Throws ChainError unless these opcode proposals can be active together from a block on. */
export type CheckProposals = (names: readonly string[], block: NativeBlock) => void

/**
 * `functions`: an implementation of each function of the ABI. `fallback`: the function, without arguments, that input runs which
 * names none of them, as Solidity's `receive` and `fallback`; left out: such input is refused.
 */
export function definePrecompile<const A extends NamedAbi>(of: {
  readonly name: string
  readonly address: Address
  readonly since: bigint
  /** Left out: every native chain has it. */
  isOn?(spec: NativeSpec): boolean
  readonly abi: A
  /** Left out: `solidity/` itself. */
  readonly folder?: string
  readonly fallback?: FunctionName<A>
  readonly functions: { readonly [N in FunctionName<A>]: Method }
}): Precompile {
  const { name, address, since, isOn = () => true, folder = '' } = of
  const abi = entriesOf(of.abi)
  const functions: readonly Method[] = Object.values(of.functions)
  const fallback: Method | undefined = of.fallback && of.functions[of.fallback]
  const methods = new Map(functions.map((method) => [selectorOf(method.abi), method]))
  const self = { name, address, methods, fallback }
  return {
    name,
    address,
    since,
    isOn,
    abi,
    folder,
    on: (spec, report, checkProposals) => {
      const chain = { spec, report, checkProposals }
      return { address, run: (call) => run(self, chain, call) }
    },
  }
}

type Self = {
  readonly name: string
  readonly address: Address
  readonly methods: ReadonlyMap<Hex, Method>
  readonly fallback: Method | undefined
}

/** What a native contract needs from its chain. */
type Chain = {
  readonly spec: NativeSpec
  readonly report: FaultReport
  readonly checkProposals: CheckProposals | undefined
}

/** Gas of the input: a base and a price per byte after the selector (Evmos' formula). */
const INPUT_GAS = { view: { base: 1_000n, perByte: 3n }, transaction: { base: 2_000n, perByte: 30n } }

const SELECTOR_SIZE = 4

function run(self: Self, chain: Chain, call: NativeCall): Eventually<NativeResult> {
  const meter = new GasMeter(call.gasLimit, workPrices(chain.spec))
  const logs: Log[] = []
  const fail = (error: unknown) => failed(self, chain.report, call, error, meter.used)
  const view = new MeteredView(call.view, meter)
  try {
    const method = admit(self, call)
    const data = call.input.subarray(SELECTOR_SIZE)
    const price = INPUT_GAS[method.isView ? 'view' : 'transaction']
    // Charged before decoding, which costs time too.
    meter.spend(price.base + price.perByte * BigInt(data.length))
    meter.charge(method.gas)
    meter.begin(data.length)
    const args = decodeValues(method.abi.inputs, data)
    const done = (results: readonly unknown[]): NativeResult => {
      const { coinTransfers } = view
      const output = encodeValues(method.abi.outputs, results)
      meter.encoded(output.length)
      return {
        output,
        gasUsed: meter.used,
        logs,
        error: undefined,
        ...(coinTransfers.length > 0 && { coinTransfers }),
      }
    }
    const results = method.run(callContext(self, chain, call, method, { view, meter, logs }), ...args)
    return results instanceof Promise ? results.then(done).catch(fail) : done(results)
  } catch (error) {
    return fail(error)
  }
}

/** Runs the guards in order and returns the called function. Throws ChainError if it may not run. */
function admit(self: Self, call: NativeCall): Method {
  const selector = toHex(call.input.subarray(0, SELECTOR_SIZE))
  const method = self.methods.get(selector) ?? self.fallback
  if (method === undefined) {
    if (call.input.length < SELECTOR_SIZE) throw new ChainError('execution-reverted', 'no selector', '0x')
    throw new ChainError('execution-reverted', `unknown method: ${selector}`)
  }
  // With DELEGATECALL and CALLCODE the precompile receives no value.
  if (call.value > 0n && !call.isDelegate && method.abi.stateMutability !== 'payable') {
    throw new ChainError('execution-reverted', 'extension methods do not accept value')
  }
  if ((call.isStatic || call.isDelegate) && !method.isView) {
    throw new ChainError('execution-reverted', 'write protection')
  }
  return method
}

function callContext(
  self: Self,
  { spec, report, checkProposals: check }: Chain,
  call: NativeCall,
  method: Method,
  { view, meter, logs }: { readonly view: MeteredView; readonly meter: GasMeter; readonly logs: Log[] },
): WriteCall<NamedAbi> {
  const { caller, origin, value, block } = call
  const checkProposals = check && ((names: readonly string[]) => check(names, block))
  const access = method.isView ? 'read' : 'write'
  const modules = openModules({ spec, block, view, unmetered: call.view, access, checkProposals, report })
  const log = (address: Address, events: NamedAbi['events'], name: string, args: Readonly<Record<string, unknown>>) => {
    const event = events[name]
    if (event === undefined) throw new TypeError(`${self.name} has no event ${name}`)
    const encoded = encodeLog(address, event, args)
    meter.encoded(encoded.data.length + 32 * encoded.topics.length)
    logs.push(encoded)
  }
  const emit: WriteCall<NamedAbi>['emit'] = (name, args) => log(self.address, method.events, name, args)
  const emitOf: WriteCall<NamedAbi>['emitOf'] = ({ address, abi }, name, args) => log(address, abi.events, name, args)
  const callContract = async (message: ContractCall) => {
    const { left } = meter
    const {
      output,
      gasUsed,
      logs: inner,
      error,
    } = await call.callContract({ ...message, gasLimit: maxMessageGasBig(left) })
    meter.spendInner(gasUsed)
    if (error !== undefined) throw new ChainError('execution-reverted', ...failureOf(message.to, error, output))
    logs.push(...inner)
    return output
  }
  return {
    ...{ caller, origin, value, block, spec, modules, emit, emitOf, callContract },
    codeOf: (account) => view.code(account),
    charge: (gas) => meter.charge(gas),
  }
}

/** The error of a failed contract call for our caller: the contract's revert data if there is any. */
const failureOf = (contract: Address, error: string, output: Uint8Array): [string, Hex?] =>
  output.length > 0 ? [error, toHex(output)] : [`call of ${getAddress(contract)} failed: ${haltNamed(error)}`]

/** Exceptional halts in geth's words, without numbers and opcodes. */
const HALTS = [
  ...['execution reverted', 'out of gas', 'contract creation code storage out of gas', 'gas uint64 overflow'],
  ...['max call depth exceeded', 'insufficient balance for transfer', 'contract address collision'],
  ...['max code size exceeded', 'max initcode size exceeded', 'invalid code: must not begin with 0xef'],
  ...['invalid opcode', 'invalid jump destination', 'stack underflow', 'stack limit reached'],
  ...['write protection', 'return data out of bounds', 'nonce uint64 overflow'],
]

/** An opcode proposal's function can throw any text; none of it may get into revert data. */
const haltNamed = (error: string): string => HALTS.find((known) => error.startsWith(known)) ?? 'execution failed'

/**
 * A ChainError is a refusal: revert with its data, or its message as `Error(string)`, and keep the remaining gas; its detail is
 * only for the operator. Any other error is internal: it costs all gas, is reported, and the block continues.
 */
function failed(self: Self, report: FaultReport, call: NativeCall, error: unknown, used: bigint): NativeResult {
  if (error instanceof ReadFailure) throw error
  const nothing = { output: EMPTY_BYTES, gasUsed: call.gasLimit, logs: [] }
  if (error instanceof OutOfGas) return { ...nothing, error: 'out of gas' }
  if (error instanceof ChainError) {
    if (error.detail !== undefined) report(`${self.name} refused a call`, error)
    const output = error.data === undefined ? errorString(error.message) : fromHex(error.data)
    return { output, gasUsed: used, logs: [], error: 'revert' }
  }
  report(`precompile ${self.name} failed on ${toHex(call.input)}`, error)
  return { ...nothing, error: 'invalid opcode' }
}
