// Common parts of pages, for one import: links and values, records, paginated lists, tabs.
export { Copy } from './parts/copy.tsx'
export {
  Address,
  AddressLink,
  Amount,
  BlockLink,
  COIN,
  Coins,
  CoinsOn,
  Cut,
  FilterLink,
  Identicon,
  ItemId,
  isSameAddress,
  NAME_WARNINGS,
  NameMark,
  OwnAddress,
  Status,
  Time,
  TokenLink,
  TokenPicture,
  TransactionLink,
  unitName,
} from './parts/links.tsx'
export { type Column, Paginated, PaginatedTable, Rows, type Table, without } from './parts/list.tsx'
export { Fields, Loaded, LoadedPage, NATIVE, Parameters, plainValue, Raw } from './parts/record.tsx'
export { type Tab, Tabs } from './parts/tabs.tsx'
