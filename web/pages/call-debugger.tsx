// The debugger of a call that is not mined, which the fragment of the URL describes.
import { useEffect, useState } from 'preact/hooks'
import { Debugger } from '../debugger/debugger.tsx'
import { callIn } from '../debugger/fragment.ts'
import { AddressLink } from '../parts.tsx'

export default function CallDebugger() {
  const [fragment, setFragment] = useState(location.hash)
  useEffect(() => {
    const onFragment = () => setFragment(location.hash)
    addEventListener('hashchange', onFragment)
    return () => removeEventListener('hashchange', onFragment)
  }, [])
  const target = callIn(fragment)
  return (
    <section class="card debugger">
      <h1>
        Debugger{' '}
        {target !== undefined && (
          <span class="faint">
            of a call{' '}
            {typeof target.call.to === 'string' && (
              <>
                to <AddressLink hash={target.call.to} />
              </>
            )}{' '}
            at block {target.block}
          </span>
        )}
      </h1>
      {target === undefined ? (
        <p class="note">A transaction is debugged from its page, a call from the page of its contract.</p>
      ) : (
        <Debugger key={JSON.stringify(target)} target={target} />
      )}
    </section>
  )
}
