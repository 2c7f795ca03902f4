import type { ReactNode } from 'react'
import { type Sayable, useSay } from '~/shared/say'
import type { Column } from './columns'
import classes from './Details.module.css'

/** Label and value, two by two; one below the other on a phone. Ready-made entries come from `columnsOf(fields)`. */
export function Details<Row>({
  row,
  columns,
}: {
  row: Row
  columns: readonly Pick<Column<Row>, 'key' | 'label' | 'cell'>[]
}) {
  return (
    <dl className={classes.list}>
      {columns.map(({ key, label, cell }) => (
        <Detail key={key} label={label}>
          {cell(row)}
        </Detail>
      ))}
    </dl>
  )
}

function Detail({ label, children }: { label: Sayable; children: ReactNode }) {
  const say = useSay()
  return (
    <div className={classes.pair}>
      <dt>{say(label)}</dt>
      <dd>{children}</dd>
    </div>
  )
}
