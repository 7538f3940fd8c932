// The moves of a debugger: their buttons, and their keys, which are those of Chromium's developer tools. Browsers keep some of
// these for themselves, so each has a letter too.

/** `run`: to the failure, or to the end; back: to the start. */
export type Go = 'run' | 'out' | 'over' | 'into' | 'opcode'

export type MoveKind = {
  readonly go: Go
  readonly name: string
  readonly backName: string
  readonly key: string
  readonly backKey: string
  /** With Shift it goes backwards. */
  readonly letter: string
}

/** In the order of the buttons that go forward. */
export const MOVES: readonly MoveKind[] = [
  { go: 'opcode', name: 'One opcode', backName: 'One opcode back', key: 'F9', backKey: 'Shift+F9', letter: 'i' },
  { go: 'into', name: 'Step into', backName: 'Step back into', key: 'F11', backKey: 'Alt+F11', letter: 's' },
  { go: 'over', name: 'Step over', backName: 'Step back over', key: 'F10', backKey: 'Shift+F10', letter: 'n' },
  {
    go: 'out',
    name: 'Step out',
    backName: 'Back out of the function',
    key: 'Shift+F11',
    backKey: 'Alt+Shift+F11',
    letter: 'o',
  },
  {
    go: 'run',
    name: 'Run to the failure or the end',
    backName: 'Back to the start',
    key: 'F8',
    backKey: 'Shift+F8',
    letter: 'c',
  },
]

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'>

/** The move of a key; `isTyping`: letters are text. undefined: none. */
export function moveOfKey(
  { key, shiftKey, altKey, ctrlKey, metaKey }: Pressed,
  isTyping: boolean,
): { readonly go: Go; readonly back: boolean } | undefined {
  if (ctrlKey || metaKey) return undefined
  if (key === 'F11') return { go: shiftKey ? 'out' : 'into', back: altKey }
  const byKey = MOVES.find((of) => of.key === key)
  if (byKey !== undefined) return { go: byKey.go, back: shiftKey || altKey }
  const byLetter = isTyping || altKey ? undefined : MOVES.find(({ letter }) => letter === key.toLowerCase())
  return byLetter && { go: byLetter.go, back: shiftKey }
}

/** For `aria-keyshortcuts`: `F10 N`. */
export const shortcuts = ({ key, backKey, letter }: MoveKind, back: boolean): string =>
  back ? `${backKey} Shift+${letter.toUpperCase()}` : `${key} ${letter.toUpperCase()}`
