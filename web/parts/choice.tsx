// A filter by one of a few values, or all, as buttons above a list. The choice is in the URL.
import { useQuery } from '../location.ts'

/** `name`: parameter of the URL; `titles`: titles of values if they differ from the values. */
export function Choice({
  name,
  label,
  of,
  titles = {},
  all = 'all',
}: {
  name: string
  label: string
  of: readonly string[]
  titles?: Readonly<Record<string, string>>
  /** Title of the button that removes the filter. */
  all?: string
}) {
  const [query, change] = useQuery()
  return (
    <fieldset class="filters" aria-label={label}>
      {[undefined, ...of].map((value) => (
        <button
          type="button"
          key={value}
          aria-pressed={query[name] === value}
          onClick={() => change({ [name]: value, page: undefined, anchor: undefined })}
        >
          {value === undefined ? all : (titles[value] ?? value)}
        </button>
      ))}
    </fieldset>
  )
}
