// The variables of the function that runs, as far as they are known: the former code generator of solc keeps each at a fixed place
// of the stack, which follows from the height of the stack where the function was entered, where its body begins, and the order of
// declarations. With the optimizer this holds only for the parameters where the function is entered.
import type { FrameValues } from '../../runtime/tracing/frame-values.ts'
import { remappingsIn } from '../contract-layout.ts'
import type { DebugInfo } from '../debug-info.ts'
import { type Token, tokensOf, UnknownSyntax } from '../solidity-declarations.ts'
import type { Definition } from '../solidity-functions.ts'
import { SolidityScopes } from '../solidity-scopes.ts'
import type { Activation } from './activations.ts'
import { type DeclaredVariable, type FunctionVariables, variablesIn } from './declared-variables.ts'
import { lastPlaced, lineAt, type Recorded } from './places.ts'
import { slotsOf, type ValueSources, variableInWords } from './variable-values.ts'

/** A variable of the function that runs. */
export type Variable = {
  readonly name: string
  readonly type: string
  readonly value: string
  readonly kind: 'parameter' | 'return' | 'local'
}

/** `note`: why they are not all known. */
export type Variables = { readonly variables: readonly Variable[]; readonly note?: string | undefined }

const none = (note: string): Variables => ({ variables: [], note })

/** The sources of a contract, read once. */
type Read = { readonly scopes: SolidityScopes; readonly tokens: Map<string, readonly Token[]> }
const read = new WeakMap<DebugInfo, Read>()

function readOf(info: DebugInfo): Read {
  const known = read.get(info) ?? {
    scopes: new SolidityScopes(info.sources, remappingsIn(info.settings)),
    tokens: new Map(),
  }
  read.set(info, known)
  return known
}

/** `values`: of the running frame, at its begin; they advance up to the step at most. */
export function variablesAt(recorded: Recorded, running: Activation, step: number, values: FrameValues): Variables {
  const { code } = running
  if (code === undefined) return none('the sources of this code are not known')
  if (code.info.settings.viaIR === true) return none('with viaIR the compiler does not tell where variables are')
  const placed = lastPlaced(recorded, running, step)
  const { steps } = recorded.recording
  const pc = placed === undefined ? (running.entry?.to ?? -1) : steps.pc(placed)
  const found = code.functionAt(pc)
  const file = code.fileAt(pc)
  if (found === undefined || file === undefined) return none('no function of the sources runs here')
  if (running.first < steps.first) return none('the first steps of this function were not kept')
  const { entry } = running
  const isEntered = entry !== undefined && code.functionAt(entry.to) === found
  if (isEntered ? step <= entry.step || step >= entry.end : code.functionAt(steps.pc(step)) !== found)
    return none('this is code that the compiler has added')
  if (!isEntered && found.kind === 'function') return none('the compiler has inlined this function')
  try {
    return new Frame(recorded, running, found, file, step).variables(values)
  } catch (error) {
    if (error instanceof UnknownSyntax) return none('the source of this function is not understood')
    throw error
  }
}

const OPTIMIZED = 'with the optimizer only parameters are known, as they were when the function began'
const BEFORE_SCOPES = 'before Solidity 0.5 the places of locals are not known'

/** A function at a step. */
class Frame {
  readonly #recorded: Recorded
  readonly #running: Activation
  readonly #found: Definition
  readonly #declared: FunctionVariables
  readonly #info: DebugInfo
  readonly #file: string
  readonly #read: Read
  readonly #step: number
  readonly #isOptimized: boolean

  constructor(recorded: Recorded, running: Activation, found: Definition, file: string, step: number) {
    const { code } = running
    if (code === undefined) throw new UnknownSyntax('no sources')
    this.#recorded = recorded
    this.#running = running
    this.#found = found
    this.#info = code.info
    this.#file = file
    this.#read = readOf(code.info)
    const tokens = this.#read.tokens.get(file) ?? tokensOf(code.info.sources[file] ?? '')
    this.#read.tokens.set(file, tokens)
    this.#declared = variablesIn(tokens, found)
    const { optimizer } = code.info.settings
    this.#isOptimized =
      typeof optimizer === 'object' && optimizer !== null && 'enabled' in optimizer && optimizer.enabled === true
    this.#step = step
  }

  variables(values: FrameValues): Variables {
    const { entry, code } = this.#running
    const isEntered = entry !== undefined && code?.functionAt(entry.to) === this.#found
    const entered = isEntered && entry.step < this.#step ? heightAt(values, entry.step + 1) : undefined
    if (this.#isOptimized) return { variables: this.#entered(values, entered), note: OPTIMIZED }
    const bodyStep = this.#bodyStep()
    const body = bodyStep === undefined ? undefined : heightAt(values, bodyStep)
    values.runTo(this.#step)
    const { parameters, returns } = this.#declared
    const shown: Variable[] = []
    // Without a call of it, as of constructors and modifiers, its arguments are below its body.
    const behind = entered ?? body
    if (behind !== undefined) shown.push(...this.#valued(values, parameters, 'parameter', behind - sizeOf(parameters)))
    if (entered !== undefined) shown.push(...this.#valued(values, returns, 'return', entered))
    const isScoped = !/^0\.[0-4]\./.test(this.#info.compilerVersion ?? '')
    if (body !== undefined && isScoped) shown.push(...this.#valued(values, this.#liveLocals(), 'local', body))
    return { variables: shown, note: isScoped ? undefined : BEFORE_SCOPES }
  }

  /** The parameters where the function was entered. `height`: of the stack there. */
  #entered(values: FrameValues, height: number | undefined): readonly Variable[] {
    const { parameters } = this.#declared
    return height === undefined ? [] : this.#valued(values, parameters, 'parameter', height - sizeOf(parameters))
  }

  /** Variables with their values, those from one slot of the stack on. */
  #valued(
    values: FrameValues,
    of: readonly DeclaredVariable[],
    kind: Variable['kind'],
    first: number,
  ): readonly Variable[] {
    const shown: Variable[] = []
    let slot = first
    for (const variable of of) {
      const value = this.#valueOf(values, variable, slot)
      if (value !== undefined) shown.push({ name: variable.name, type: variable.text, value, kind })
      slot += slotsOf(variable)
    }
    return shown
  }

  /** The first step of its body in this activation. */
  #bodyStep(): number | undefined {
    const { steps } = this.#recorded.recording
    const { code, first } = this.#running
    const begin = Math.max(first, steps.first, (this.#running.entry?.step ?? -1) + 1)
    for (let step = begin; step <= this.#step; step++) {
      const at = this.#recorded.activations.at(step)
      if (at !== this.#running) {
        step = Math.max(step, at.end - 1)
        continue
      }
      if (lineAt(this.#recorded, at, step) >= 0 && code?.functionAt(steps.pc(step)) === this.#found) return step
    }
    return undefined
  }

  /** Locals that have a place on the stack at the present line, lowest first. */
  #liveLocals(): readonly DeclaredVariable[] {
    const { recording } = this.#recorded
    const { code } = this.#running
    const placed = lastPlaced(
      this.#recorded,
      this.#running,
      this.#step,
      (step) => code?.functionAt(recording.steps.pc(step)) === this.#found,
    )
    const offset = placed === undefined ? -1 : (code?.offsetAt(recording.steps.pc(placed)) ?? -1)
    return this.#declared.locals.filter(({ from, until }) => from <= offset && offset < until)
  }

  /** The value of a variable; undefined: unnamed, not there yet, or of an unknown type. */
  #valueOf(values: FrameValues, variable: DeclaredVariable, slot: number): string | undefined {
    const size = slotsOf(variable)
    if (variable.name === '' || slot < 0 || slot + size > values.height) return undefined
    const slots = Array.from({ length: size }, (_, i) => values.item(values.height - 1 - slot - i))
    const known = slots.filter((item): item is Uint8Array => item !== undefined)
    if (known.length < size) return undefined
    try {
      return variableInWords(variable, known, this.#sources(values))
    } catch (error) {
      if (error instanceof UnknownSyntax) return undefined
      throw error
    }
  }

  #sources(values: FrameValues): ValueSources {
    const { scopes } = this.#read
    const [contract = ''] = this.#found.name.split('.')
    const { input } = this.#running.frame
    return {
      scopes,
      scope: { file: this.#file, contract: scopes.contract(this.#file, contract) },
      memory(offset, length) {
        if (!values.isWhole) throw new UnknownSyntax('the first steps of this message were not kept')
        return values.memory(offset, length)
      },
      callData: (offset, length) => {
        const bytes = new Uint8Array(length)
        bytes.set(input.subarray(offset, offset + length))
        return bytes
      },
    }
  }
}

const sizeOf = (variables: readonly DeclaredVariable[]): number =>
  variables.reduce((sum, variable) => sum + slotsOf(variable), 0)

/** The height of the stack at a step that was not passed yet. */
function heightAt(values: FrameValues, step: number): number | undefined {
  values.runTo(step)
  return values.step === step ? values.height : undefined
}
