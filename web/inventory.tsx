// The items of a token as a grid of pictures.
import { Link } from 'wouter-preact'
import type { ApiRead, List, TokenInstance } from './api.ts'
import { ItemPicture, itemName } from './item-picture.tsx'
import { Address, Paginated } from './parts.tsx'
import './inventory.css'

/** `of`: the token's address. */
export const Inventory = ({
  list,
  of,
  version,
}: {
  list: ApiRead<List<TokenInstance>>
  of: string
  version: number
}) => (
  <Paginated list={list} version={version} order="rank">
    {({ items }) =>
      items.length === 0 ? (
        <p class="note">There are no items of it.</p>
      ) : (
        <ul class="inventory">
          {items.map((item) => (
            <li key={item.id}>
              <Link href={`/token/${of}/instance/${item.id}`}>
                <ItemPicture of={item} alt="" />
                <span class="title" title={itemName(item)}>
                  {itemName(item)}
                </span>
              </Link>
              {itemName(item) !== `#${item.id}` && (
                <span class="faint" title={`#${item.id}`}>
                  #{item.id}
                </span>
              )}
              {item.owner !== null && (
                <span>
                  <span class="faint">of</span> <Address of={item.owner} size={4} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )
    }
  </Paginated>
)
