import { Button, Group, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { Column } from './columns'
import { DataTable } from './DataTable'
import { type Deletable, useDelete } from './delete'
import { refreshedRow } from './newest'
import { deleteAction, editAction, type RowAction, rowMenu } from './rowMenu'

/** Nouns with the messages of a list, beside those of `useDelete`. */
type Listed = {
  [N in Deletable]: `${N}.${'title' | 'add' | 'empty'}` extends MessageKey ? N : never
}[Deletable]

type Props<Row> = {
  noun: Listed
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  /** What users call the row. */
  nameOf: (row: Row) => string
  mayEdit: boolean
  mayDelete: boolean
  /** The rows that can be edited, if not all. */
  isEditable?: (row: Row) => boolean
  isDeletable?: (row: Row) => boolean
  /** Above "Edit" in the menu of a row. */
  actions?: readonly RowAction<Row>[]
  /** A button beside "Add". */
  more?: ReactNode
  /** Beside the buttons. */
  heading?: ReactNode
  /** Between the buttons and the table. */
  children?: ReactNode
  /** The dialog that adds a row, or changes one. */
  dialog: (row: Row | undefined, onClose: () => void) => ReactNode
}

/** A table of records with its buttons and dialogs: adds, changes and deletes them. */
export function RecordList<Row extends { id: string }>({
  noun,
  rows,
  columns,
  nameOf,
  mayEdit,
  mayDelete,
  isEditable,
  isDeletable,
  actions = [],
  more,
  heading,
  children,
  dialog,
}: Props<Row>) {
  const say = useSay()
  const { remove } = useDelete()
  const [editing, setEditing] = useState<{ row?: Row } | null>(null)
  const edited = editing?.row && refreshedRow(rows, editing.row)
  const buttons = mayEdit && (
    <Group gap="xs" justify={rows.length > 0 ? 'flex-end' : 'center'}>
      {more}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => setEditing({})}
      >
        {say(`${noun}.add`)}
      </Button>
    </Group>
  )
  return (
    <Stack gap="sm">
      {(heading || (rows.length > 0 && buttons)) && (
        <Group justify={heading ? 'space-between' : 'flex-end'}>
          {heading}
          {rows.length > 0 && buttons}
        </Group>
      )}
      {children}
      <DataTable
        label={`${noun}.title`}
        columns={columns}
        rows={rows}
        nameOf={nameOf}
        empty={`${noun}.empty`}
        emptyAction={buttons}
        actions={rowMenu<Row>([
          ...actions,
          mayEdit && { ...editAction((row) => setEditing({ row })), isFor: isEditable },
          mayDelete && {
            ...deleteAction<Row>(`${noun}.delete`, (row) =>
              remove(noun, row.id, { name: nameOf(row) }),
            ),
            isFor: isDeletable,
          },
        ])}
      />
      {editing && dialog(edited, () => setEditing(null))}
    </Stack>
  )
}
