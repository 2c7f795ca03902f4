import { useState } from 'react'
import { useAnswer } from '~/client/query'

/**
 * The row that an open dialog is about, as the screen has read it last. With the row as it was when the dialog opened,
 * a save that another user's change refused would be refused for ever.
 */
export const refreshedRow = <Row extends { id: string }>(rows: readonly Row[], row: Row): Row =>
  rows.find(({ id }) => id === row.id) ?? row

/**
 * The same for a list that shows a part of the rows: a row that another user's change took off the page is asked for by
 * itself, each time that the page is read again.
 */
export function useRefreshedRow<Row extends { id: string }, Asked extends { id: string }>(
  rows: readonly Row[] | undefined,
  row: Row | undefined,
  ask: (id: string) => Promise<Asked | undefined>,
): Row | Asked | undefined {
  const shown = row && rows?.find(({ id }) => id === row.id)
  const isGone = row !== undefined && rows !== undefined && !shown
  const { data } = useAnswer(isGone ? row.id : null, () => ask(row!.id), { version: rows })
  const newest = shown ?? (isGone ? data : undefined)
  // while it is asked for, what was read last stays: the dialog does not go back to what it began with
  const [last, setLast] = useState<Row | Asked>()
  if (newest && newest !== last) setLast(newest)
  return row && (newest ?? (last?.id === row.id ? last : row))
}
