import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { CellName } from '~/features/reports/cells/definition'
import { useSay } from '~/shared/say'
import { useFormState } from '~/ui/form'
import { NumberBox } from '~/ui/NumberBox'
import classes from './SheetSection.module.css'

export type SavesManual = (
  cell: CellName & { value: number | null; was: number | null },
) => Promise<unknown>

type Props = {
  kind: 'integer' | 'yesno'
  label: { row: string; column: string }
  value: number | null
  onSave: (value: number | null) => Promise<unknown>
}
type Values = { value: number | '' }

/** A value that no record holds, entered in its place on the sheet: saved when the box is left, or by Enter. */
export function ManualValue({ kind, label, value, onSave }: Props) {
  const say = useSay()
  const stored: Values = { value: value ?? '' }
  const form = useFormState<Values>({
    start: stored,
    differs: (base, values) => base.value !== values.value,
  })
  const { ref, values, errors, isDirty, isSaving } = form
  const [seen, setSeen] = useState(value)
  // another user's value replaces one that is not being changed here
  if (seen !== value) {
    setSeen(value)
    if (!isDirty) form.rebase(stored)
  }
  const save = (next: number | '') =>
    form.save(async () => {
      await onSave(next === '' ? null : next)
      form.rebase({ value: next })
    })
  /** "abc" or "1,000": the box says so. Saving it would delete the stored value. */
  const isNoNumber = Number.isNaN(values.value)
  const error = errors['value'] && say(errors['value'])
  const look = {
    'aria-label': say({ key: 'reports.manualOf', values: label }),
    size: 'xs',
    className: classes.manual,
    error,
    'aria-busy': isSaving || undefined,
  } as const
  if (kind === 'yesno')
    return (
      <NativeSelect
        {...look}
        value={String(values.value)}
        onChange={({ currentTarget }) => {
          if (isSaving) return
          const next = currentTarget.value === '' ? '' : Number(currentTarget.value)
          form.change({ value: next })
          void save(next)
        }}
        data={[
          { value: '', label: '—' },
          { value: '1', label: say('common.yes') },
          { value: '0', label: say('common.no') },
        ]}
      />
    )
  return (
    <span
      ref={ref}
      onBlur={() => {
        if (isDirty && !isNoNumber) void save(values.value)
      }}
    >
      <NumberBox
        {...look}
        // what is typed meanwhile would be replaced by what was saved
        readOnly={isSaving}
        value={values.value}
        onChange={(next) => form.change({ value: next })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && isDirty && !isNoNumber) void save(values.value)
          if (event.key === 'Escape') form.begin(stored)
        }}
      />
    </span>
  )
}
