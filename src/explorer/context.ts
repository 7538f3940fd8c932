// One moment for one request: a snapshot of the rows, the head that belongs to it and the state after it.
import { setImmediate } from 'node:timers/promises'
import { readHead } from '../chain/open.ts'
import { NO_CONNECTION } from '../lib/connection-signal.ts'
import type { ExplorerContext, ExplorerServices } from './define.ts'

type Moment = { readonly context: ExplorerContext; close(): Promise<void> }

/** Opens a moment for a request, which came over the connection `caller`; close it after use. */
export async function openMoment(
  services: ExplorerServices,
  asker: Pick<ExplorerContext, 'headers' | 'client'> = { headers: {}, client: '' },
  caller = NO_CONNECTION,
): Promise<Moment> {
  const { chain, queue } = services
  const heavy: ExplorerContext['heavy'] = (work) => queue.run(caller, () => work(caller))
  for (;;) {
    const snapshot = chain.store.consistentReader()
    const { head } = chain
    // Between the disk and the head lies an instant: the rows are there and the chain has not said so yet.
    if (readHead(snapshot).number === head.number) {
      const { view } = await chain.at({ hash: head.hash })
      const context = { ...services, spec: chain.spec, rows: snapshot, head, view, heavy, ...asker }
      return { context, close: () => snapshot.close() }
    }
    await snapshot.close()
    await setImmediate()
  }
}
