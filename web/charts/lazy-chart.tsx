// Charts for pages: the library is loaded when the first chart is shown.
import { lazy, Suspense } from 'preact/compat'
import type { ChartProps } from './chart.tsx'

const Chart = lazy(() => import('./chart.tsx'))

export const LazyChart = (props: ChartProps) => (
  <Suspense fallback={<div class="loading" />}>
    <Chart {...props} />
  </Suspense>
)
