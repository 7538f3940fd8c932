// Names of opcode proposals (`kestrel_9`), and the rules for lists of them. Genesis, parameters and registry share them.
import { ChainError } from '../lib/errors.ts'

const LONGEST = 64

/** `<chain name>_<number>`: lower case, the number up to 2^31 - 1 without leading zeros. */
export function isProposalName(name: string): boolean {
  const number = /^[a-z][a-z0-9-]*_(0|[1-9][0-9]*)$/.exec(name)?.[1]
  return number !== undefined && name.length <= LONGEST && BigInt(number) < 2n ** 31n
}

/**
 * Checks each name of a list: its form, then `requireKnown` (which throws), then that it is no duplicate.
 * Throws ChainError `invalid-params` with Evmos' messages.
 */
export function checkProposalList(
  names: readonly string[],
  requireKnown: (name: string) => void = () => undefined,
): void {
  for (const [i, name] of names.entries()) {
    if (!isProposalName(name)) throw new ChainError('invalid-params', `EIP ${name} name is not valid`)
    requireKnown(name)
    if (names.indexOf(name) !== i) throw new ChainError('invalid-params', `found duplicate EIP: ${name}`)
  }
}
