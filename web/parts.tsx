// Common parts of pages, for one import: links and values, records, paginated lists, tabs.
export { Copy } from './parts/copy.tsx'
export {
  Address,
  AddressLink,
  Amount,
  BlockLink,
  COIN,
  Coins,
  Cut,
  FilterLink,
  Identicon,
  ItemId,
  NAME_WARNINGS,
  NameMark,
  Status,
  Time,
  TokenLink,
  TokenPicture,
  TransactionLink,
} from './parts/links.tsx'
export { Paginated, PaginatedTable, Rows, type Table } from './parts/list.tsx'
export { Fields, Loaded, LoadedPage, NATIVE, Parameters, plainValue, Raw } from './parts/record.tsx'
export { type Tab, Tabs } from './parts/tabs.tsx'
