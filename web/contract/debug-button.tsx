// Opens the debugger with the call that a form describes.
import { useLocation } from 'wouter-preact'
import { type CallFields, debugPath } from '../debugger/fragment.ts'
import { IS_DEVELOPMENT } from '../location.ts'
import { rpc } from '../rpc.ts'

/** `callOf`: undefined if a field is not valid; `block`: whose state the call begins with. */
export function DebugButton({ callOf, block = 'latest' }: { callOf: () => CallFields | undefined; block?: string }) {
  const [, navigate] = useLocation()
  if (!IS_DEVELOPMENT) return null
  const open = async () => {
    const call = callOf()
    // The number, so that the URL means the same call when there are more blocks.
    if (call !== undefined) navigate(debugPath(call, block === 'latest' ? await rpc('eth_blockNumber') : block))
  }
  return (
    <button type="button" class="action" onClick={open}>
      Debug
    </button>
  )
}
