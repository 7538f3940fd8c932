// `Common` as one object per fork that everyone may hold: look-ups are remembered and nothing changes it.
// The library's own object converts and searches on each look-up, which costs more than most opcodes.
import { paramsBlock } from '@ethereumjs/block'
import { Common, type CommonOpts, type ParamsDict } from '@ethereumjs/common'
import { paramsTx } from '@ethereumjs/tx'

/** Tables that packages add to every Common they meet; ours has these from the start. */
const PACKAGES: readonly ParamsDict[] = [paramsTx, paramsBlock]

function merge(tables: readonly ParamsDict[]): ParamsDict {
  const merged: ParamsDict = {}
  for (const table of tables)
    for (const [eip, params] of Object.entries(table)) merged[eip] = { ...merged[eip], ...params }
  return merged
}

export class SharedCommon extends Common {
  // Declared only: the base constructor fills them through the overrides below, and an initialiser would undo that.
  // A rebuilt cache is a new object, so that copies, which share them at first, never see each other's values.
  private declare params: Map<string, bigint>
  private declare activeEips: Set<number>
  private declare reached: Map<string, boolean>
  private declare consensus: string | undefined
  private declare id: bigint | undefined
  private declare shared: boolean
  /** Tables of packages that are in. */
  private declare added: Set<ParamsDict> | undefined

  /** `opts.params` overrides the packages' tables; a fork's name as key overrides from that fork on. */
  constructor(opts: CommonOpts) {
    super({ ...opts, params: merge([...PACKAGES, opts.params ?? {}]) })
    this.shared = true
    this.added = new Set(PACKAGES)
    // Each EVM subscribes to changes of the fork and never leaves; here there are none, and the EVM may be collected.
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

  /** Takes in the table of a package that this room does not load; what the chain's own parameters say stays. */
  addPackage(params: ParamsDict): void {
    if (this.added?.has(params) === true) return
    this.added?.add(params)
    this._params = merge([params, this._params])
    this._buildParamsCache()
  }

  /** The packages call this in constructors; their own tables are in already. */
  override updateParams(params: ParamsDict): void {
    // The base constructor calls this before there is a set.
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

  /** A private copy, which may be changed. */
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
    this.reached = new Map() // asked by the base method already
    super._buildActivatedEIPsCache()
    this.activeEips = new Set(this._activatedEIPsCache)
    this.consensus = undefined
  }

  private own(): void {
    if (this.shared) throw new Error('this Common is shared by the whole node: change a copy()')
  }
}
