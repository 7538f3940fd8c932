// Lines of a source: highlighting is loaded with the first ones.
import { lazy, Suspense } from 'preact/compat'
import type { SourceProps } from './source.tsx'

const Source = lazy(() => import('./source.tsx'))

export const LazySource = (props: SourceProps) => (
  <Suspense fallback={<div class="loading" />}>
    <Source {...props} />
  </Suspense>
)
