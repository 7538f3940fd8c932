// One moment for one request: a snapshot of the rows, the head that belongs to it and the state after it.
import { setImmediate } from 'node:timers/promises'
import { readHead } from '../chain/open.ts'
import type { ExplorerContext, ExplorerServices } from './define.ts'

type Moment = { readonly context: ExplorerContext; close(): Promise<void> }

/** Opens a moment; whoever opens it closes it. */
export async function openMoment(
  services: ExplorerServices,
  asker: Pick<ExplorerContext, 'headers' | 'client'> = { headers: {}, client: '' },
): Promise<Moment> {
  const { chain } = services
  for (;;) {
    const snapshot = chain.store.snapshot()
    const { head } = chain
    // Between the disk and the head lies an instant: the rows are there and the chain has not said so yet.
    if (readHead(snapshot).number === head.number) {
      const { view } = await chain.at({ hash: head.hash })
      const context = { ...services, spec: chain.spec, rows: snapshot, head, view, ...asker }
      return { context, close: () => snapshot.close() }
    }
    await snapshot.close()
    await setImmediate()
  }
}
