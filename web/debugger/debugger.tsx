// The debugger of one execution: its toolbar above, then calls and opcodes, the source, and what is known at the position. On a
// phone one of these is shown at a time.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { withCommas } from '../format.ts'
import { Calls } from './calls.tsx'
import { stepOf, writeStep } from './fragment.ts'
import { type Go, moveOfKey } from './moves.ts'
import { Opcodes } from './opcodes.tsx'
import { CallStack, Machine, Output, placeInWords, Storage, Variables } from './panels.tsx'
import { type Opened, type Position, Session, type State, type Target } from './session.ts'
import { Source } from './source.tsx'
import './debugger.css'
import { Keys, Progress, Toolbar } from './toolbar.tsx'

/** Milliseconds without a move after which the URL has the step: browsers refuse more than 20 changes of it in a second. */
const URL_DELAY = 250

/** What is shown at a time on a phone. */
const VIEWS = ['Source', 'Calls', 'Opcodes', 'Values', 'Machine', 'Output'] as const

/** A move from the position that is shown. */
function start(session: Session, failure: number | null, go: Go, back: boolean, isRepeated: boolean): void {
  if (go !== 'run') session.go((from) => ({ from, go, back }), isRepeated)
  else if (back) session.goTo('start')
  else session.go((from) => ({ to: failure !== null && from < failure ? 'failure' : 'end' }), isRepeated)
}

export function Debugger({ target }: { target: Target }) {
  const [state, setState] = useState<State>({ pages: 0 })
  const session = useMemo(() => new Session(target, setState), [])
  const { opened, position, fault } = state
  useEffect(() => {
    session.open(stepOf(location.hash))
    const onFragment = () => session.goTo(stepOf(location.hash) ?? 'start')
    addEventListener('hashchange', onFragment)
    return () => removeEventListener('hashchange', onFragment)
  }, [])
  useEffect(() => {
    if (position === undefined) return
    const timer = setTimeout(() => writeStep(position.step), URL_DELAY)
    return () => clearTimeout(timer)
  }, [position?.step])
  useKeys(session, opened)
  if (opened?.steps === 0) return <p class="note">No opcode has run.</p>
  if (opened === undefined || position === undefined)
    return fault === undefined ? <div class="loading" /> : <p class="note">{fault}</p>
  return <Shown session={session} state={state} opened={opened} at={position} />
}

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && target.type !== 'range')

function useKeys(session: Session, opened: Opened | undefined): void {
  useEffect(() => {
    if (opened === undefined) return
    const onKeyDown = (event: KeyboardEvent) => {
      const move = moveOfKey(event, isTextField(event.target))
      if (move === undefined) return
      event.preventDefault()
      start(session, opened.failure, move.go, move.back, event.repeat)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [opened])
}

function Shown({ session, state, opened, at }: { session: Session; state: State; opened: Opened; at: Position }) {
  const [view, setView] = useState<(typeof VIEWS)[number]>('Source')
  // The frame whose place is shown, as long as the position stays.
  const [choice, setChoice] = useState({ at, frame: 0 })
  const frame = choice.at === at ? choice.frame : 0
  const place = frame === 0 ? at.place : (at.frames[frame]?.place ?? null)
  const { before } = state
  const onStep = (step: number) => session.goTo(step)
  return (
    <>
      <div class="controls">
        <Toolbar at={at} first={opened.first} onMove={(go, back) => start(session, opened.failure, go, back, false)} />
        <Progress at={at} first={opened.first} onStep={onStep} />
        <Keys />
        <p class="where" role="status">
          <Where at={at} state={state} failure={at.step === opened.failure ? opened.reason : null} />
        </p>
        <fieldset class="views" aria-label="Views">
          {VIEWS.map((name) => (
            <button type="button" key={name} aria-pressed={name === view} onClick={() => setView(name)}>
              {name}
            </button>
          ))}
        </fieldset>
      </div>
      <div class={place === null ? 'columns sourceless' : 'columns'} data-view={view}>
        <section class="pane calls-pane" data-in="Calls">
          <h2>Calls</h2>
          <Calls root={opened.calls} step={at.step} onStep={onStep} />
        </section>
        <section class="pane opcodes-pane" data-in="Opcodes">
          <h2>Opcodes</h2>
          <Opcodes session={session} at={at} first={opened.first} version={state.pages} onStep={onStep} />
        </section>
        <section class="pane source-pane source" data-in="Source">
          <Source
            files={opened.files}
            place={place}
            version={choice.at === at ? choice : at}
            onLine={(file, line, back) => session.go((from) => ({ from, go: 'line', file, line, back }))}
          />
        </section>
        <div class="pane parts">
          <div data-in="Values">
            <CallStack of={at.frames} chosen={frame} onChoice={(chosen) => setChoice({ at, frame: chosen })} />
            <Variables at={at} before={before} isOfOther={frame > 0} />
            <Storage
              at={at}
              before={before}
              onWrite={(slot, back) => {
                const { address } = at.op
                if (address !== null) session.go((from) => ({ from, go: 'write', address, slot, back }))
              }}
            />
          </div>
          <div data-in="Output">
            <Output at={at} />
          </div>
          <div data-in="Machine">
            <Machine at={at} before={before} />
          </div>
        </div>
      </div>
    </>
  )
}

/** Where it stands in words, or why it does not stand where it was asked to. */
function Where({ at, state: { fault, move }, failure }: { at: Position; state: State; failure: string | null }) {
  const [inner] = at.frames
  if (fault !== undefined) return <span class="bad">{fault}</span>
  return (
    <>
      <bdi>{inner?.function}</bdi> <span class="faint">{placeInWords(at.place)}</span> <code>{at.op.name}</code>{' '}
      <span class="faint">{withCommas(at.op.gas)} gas left</span> {missed(at, move)}
      {failure !== null && (
        <span class="bad">
          <bdi>{failure}</bdi>
        </span>
      )}
    </>
  )
}

function missed(at: Position, move: State['move']): string | undefined {
  if (move === undefined || !('go' in move)) return undefined
  if (move.go === 'line' && at.isEnd) return `Line ${move.line} was not reached.`
  if (move.go === 'write' && at.step === move.from)
    return `There is no ${move.back ? 'earlier' : 'later'} write of the slot.`
  return undefined
}
