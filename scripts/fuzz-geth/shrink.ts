// Shrinks a test as long as it shows a difference: removes the other subtests, forks and accounts, removes ranges of code, or
// overwrites them with JUMPDEST so that jump destinations stay where they are.
import type { StateTest } from './state-test.ts'

/** What is shrunk: accounts with code. */
type WithAccounts = Pick<StateTest, 'pre'>
/** Whether a test still shows the difference. */
export type Shows<T extends WithAccounts = StateTest> = (test: T) => Promise<boolean>

/** A test with only one of its subtests. */
export function only(test: StateTest, fork: string, index: number): StateTest {
  const subtest = test.post[fork]?.[index]
  return { ...test, post: { [fork]: subtest === undefined ? [] : [subtest] } }
}

/** The smallest test found within `seconds`; the given one if it shows no difference alone. */
export async function shrink<T extends WithAccounts>(test: T, shows: Shows<T>, seconds = 60): Promise<T> {
  const end = performance.now() + seconds * 1000
  let smallest = test
  const attempt = async (next: T): Promise<boolean> => {
    if (performance.now() > end || !(await shows(next))) return false
    smallest = next
    return true
  }
  for (const account of Object.keys(test.pre)) {
    const { [account]: _, ...others } = smallest.pre
    await attempt({ ...smallest, pre: others })
  }
  for (const account of Object.keys(smallest.pre)) {
    const withCode = (bytes: Buffer): T => {
      const of = smallest.pre[account]
      const code = `0x${bytes.toString('hex')}`
      return of === undefined ? smallest : { ...smallest, pre: { ...smallest.pre, [account]: { ...of, code } } }
    }
    const codeOf = () => Buffer.from(smallest.pre[account]?.code.slice(2) ?? '', 'hex')
    for (let size = codeOf().length; size > 0; size = size >> 1) {
      for (let at = 0; at < codeOf().length; at += size) {
        const code = codeOf()
        const head = code.subarray(0, at)
        const part = code.subarray(at, at + size)
        const tail = code.subarray(at + size)
        if (await attempt(withCode(Buffer.concat([head, tail])))) {
          at -= size
          continue
        }
        if (part.some((byte) => byte !== 0x5b)) {
          await attempt(withCode(Buffer.concat([head, Buffer.alloc(part.length, 0x5b), tail])))
        }
      }
      if (performance.now() > end) return smallest
    }
  }
  return smallest
}
