// The rules of a fork in the form of the ethereumjs packages: their `Common`, made immutable and with cached look-ups, one
// object for each chain and fork. The library's own object converts and searches on each look-up, which costs more than
// executing most opcodes.
import { paramsBlock } from '@ethereumjs/block'
import { type ChainConfig, Common, type CommonOpts, type HardforksDict, type ParamsDict } from '@ethereumjs/common'
import { paramsTx } from '@ethereumjs/tx'
import { GAS_PER_BLOB } from '../../primitives/gas.ts'
import { kzg } from '../../primitives/kzg.ts'
import { type ChainSpec, FORKS, type Fork, type ForkActivation, isBlobParameterFork } from '../../spec/chain-spec.ts'
import { blobParamsAt } from '../../spec/forks.ts'
import { customCrypto } from './custom-crypto.ts'

/** Parameter tables that the packages add to every Common. */
const PACKAGES: readonly ParamsDict[] = [paramsTx, paramsBlock]

function merge(tables: readonly ParamsDict[]): ParamsDict {
  const merged: ParamsDict = {}
  for (const table of tables)
    for (const [eip, params] of Object.entries(table)) merged[eip] = { ...merged[eip], ...params }
  return merged
}

export class SharedCommon extends Common {
  // Only declared: the base constructor fills them through the overrides below, and an initializer would reset them. A rebuilt
  // cache is a new object, because copies share these objects at first.
  private declare params: Map<string, bigint>
  private declare activeEips: Set<number>
  private declare reached: Map<string, boolean>
  private declare consensus: string | undefined
  private declare id: bigint | undefined
  private declare shared: boolean
  /** The packages' tables that `_params` includes. */
  private declare added: Set<ParamsDict> | undefined

  /** `opts.params` overrides the packages' tables; a fork's name as key overrides from that fork on. */
  constructor(opts: CommonOpts) {
    super({ ...opts, params: merge([...PACKAGES, opts.params ?? {}]) })
    this.shared = true
    this.added = new Set(PACKAGES)
    // Every EVM subscribes to fork changes and never unsubscribes. Forks do not change here, so do not reference the EVMs.
    this.events.on = () => this.events
  }

  override param(name: string): bigint {
    const known = this.params.get(name)
    if (known !== undefined) return known
    const value = super.param(name)
    this.params.set(name, value)
    return value
  }

  override isActivatedEIP(eip: number): boolean {
    return this.activeEips.has(eip)
  }

  override gteHardfork(hardfork: string): boolean {
    const known = this.reached.get(hardfork)
    if (known !== undefined) return known
    const value = super.gteHardfork(hardfork)
    this.reached.set(hardfork, value)
    return value
  }

  override consensusType(): string {
    this.consensus ??= super.consensusType()
    return this.consensus
  }

  override chainId(): bigint {
    this.id ??= super.chainId()
    return this.id
  }

  /** Adds the table of a package that this room does not import. The chain's own parameters take precedence. */
  addPackage(params: ParamsDict): void {
    if (this.added?.has(params) === true) return
    this.added?.add(params)
    this._params = merge([params, this._params])
    this._buildParamsCache()
  }

  /** The packages call this in their constructors, with tables that are included already. */
  override updateParams(params: ParamsDict): void {
    // The base constructor calls this before `added` exists.
    if (this.added === undefined || this.added.has(params)) return
    this.own()
    this._params = { ...this._params } // the library's copy() shares it
    super.updateParams(params)
  }

  override resetParams(params: ParamsDict): void {
    this.own()
    super.resetParams(params)
  }

  override setHardfork(hardfork: string): void {
    if (hardfork === this._hardfork) return
    this.own()
    super.setHardfork(hardfork)
  }

  override setEIPs(eips: number[] = []): void {
    this.own()
    super.setEIPs(eips)
  }

  /** A copy that may be changed. */
  override copy(): Common {
    const copy = super.copy()
    if (copy instanceof SharedCommon) copy.shared = false
    return copy
  }

  protected override _buildParamsCache(): void {
    super._buildParamsCache()
    this.params = new Map()
  }

  protected override _buildActivatedEIPsCache(): void {
    this.reached = new Map() // the base method reads it
    super._buildActivatedEIPsCache()
    this.activeEips = new Set(this._activatedEIPsCache)
    this.consensus = undefined
  }

  private own(): void {
    if (this.shared) throw new Error('this Common is shared by the whole node: change a copy()')
  }
}

const commons = new WeakMap<ChainSpec, Map<Fork, Common>>()

/**
 * The packages' rules of a fork on a chain, even if the chain has not scheduled the fork. Equal arguments give the same
 * immutable object; `copy()` gives a mutable one.
 */
export function commonFor(spec: ChainSpec, fork: Fork): Common {
  const byFork = getOrAdd(commons, spec, () => new Map<Fork, Common>())
  return getOrAdd(byFork, fork, () => createCommon(spec, fork))
}

function createCommon(spec: ChainSpec, fork: Fork): Common {
  const activations = new Map<Fork, ForkActivation>(spec.forks.map((activation) => [activation.fork, activation]))
  const params: ParamsDict = {}
  const customHardforks: HardforksDict = {
    // The library has no names for these.
    amsterdamOpcodes: { eips: [] },
    bogota: { eips: [] },
    // Without EIP-2780: what a transaction pays before its first frame, `runtime/execute-message.ts` charges for all engines.
    amsterdam: { eips: [7708, 7843, 7928, 7954, 7976, 7981, 8024, 8037, 8038, 8246] },
  }
  for (const name of FORKS) {
    const blobs = blobParamsAt(spec, name)
    if (blobs === undefined) continue
    // The library has two sets of names for these limits: one up to Osaka, one from the first BPO fork on.
    const limits = {
      target: Number(blobs.target),
      max: Number(blobs.max),
      targetBlobGasPerBlock: Number(blobs.target * GAS_PER_BLOB),
      maxBlobGasPerBlock: Number(blobs.max * GAS_PER_BLOB),
      blobGasPriceUpdateFraction: Number(blobs.baseFeeUpdateFraction),
    }
    // The library defines only two BPO forks, with mainnet's limits; such a fork changes only the limits.
    if (isBlobParameterFork(name)) customHardforks[name] = { eips: [], params: limits }
    else params[name] = limits
  }
  if (spec.codeSizeLimit !== undefined) {
    const limits = { maxCodeSize: spec.codeSizeLimit, maxInitCodeSize: 2 * spec.codeSizeLimit }
    params[fork] = { ...params[fork], ...limits }
    const custom = customHardforks[fork]
    if (custom !== undefined) custom.params = { ...custom.params, ...limits }
  }
  const chain: ChainConfig = {
    name: spec.name,
    chainId: spec.chainId.toString(),
    defaultHardfork: fork,
    depositContractAddress: spec.depositContract,
    genesis: {
      gasLimit: `0x${spec.genesis.gasLimit.toString(16)}`,
      difficulty: `0x${spec.genesis.difficulty.toString(16)}`,
      nonce: spec.genesis.nonce,
      extraData: spec.genesis.extraData,
    },
    hardforks: FORKS.map((name) => {
      const { block, time } = activations.get(name) ?? {}
      return {
        name,
        block: block === undefined ? null : Number(block),
        ...(time !== undefined && { timestamp: Number(time) }),
      }
    }),
    customHardforks,
    bootstrapNodes: [],
    consensus: { type: 'pow', algorithm: 'ethash' },
  }
  return new SharedCommon({
    chain,
    hardfork: fork,
    params,
    customCrypto: { ...customCrypto, kzg },
  })
}

type Cache<K, V> = { get(key: K): V | undefined; set(key: K, value: V): unknown }

function getOrAdd<K, V>(cache: Cache<K, V>, key: K, make: () => V): V {
  const known = cache.get(key)
  if (known !== undefined) return known
  const value = make()
  cache.set(key, value)
  return value
}
