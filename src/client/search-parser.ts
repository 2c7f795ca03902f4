import { parseSearchWith } from '@tanstack/react-router'

/** Of an address. A number that loses digits as a number stays the text that it is: a long id, for example. */
export const parsedSearch = parseSearchWith((text): unknown => {
  const value: unknown = JSON.parse(text)
  return typeof value === 'number' && String(value) !== text ? text : value
})
