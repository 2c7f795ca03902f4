import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { CellName } from '~/features/reports/cells/definition'
import { AppError } from '~/shared/errors'
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
  /** `was`: the value that the user has changed. */
  onSave: (value: number | null, was: number | null) => Promise<unknown>
}
type Values = { value: number | '' }

const orNull = (value: number | '') => (value === '' ? null : value)

/** A value that no record holds, entered in its place on the sheet: saved when the box is left, or by Enter. */
export function ManualValue({ kind, label, value, onSave }: Props) {
  const say = useSay()
  const stored: Values = { value: value ?? '' }
  const form = useFormState<Values>({
    start: stored,
    differs: (base, values) => base.value !== values.value,
  })
  const { ref, base, values, errors, isDirty, isSaving } = form
  /** Another user's value was stored first, and this one has not been changed since. */
  const [isRefused, setRefused] = useState(false)
  const [seen, setSeen] = useState(value)
  // another user's value replaces one that is not being changed here
  if (seen !== value) {
    setSeen(value)
    if (!isDirty) form.rebase(stored)
  }
  // what the box began with, until the user has been told of the newer one
  const was = isRefused ? stored : base
  const save = (next: number | '') =>
    form.save(async () => {
      try {
        await onSave(orNull(next), orNull(was.value))
      } catch (error) {
        setRefused(error instanceof AppError && error.code === 'conflict')
        throw error
      }
      setRefused(false)
      form.rebase({ value: next })
    })
  function change(next: number | '') {
    if (isRefused) form.rebase(stored)
    setRefused(false)
    form.change({ value: next })
  }
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
          change(next)
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
        // leaving the box does not answer the refusal
        if (isDirty && !isNoNumber && !isRefused) void save(values.value)
      }}
    >
      <NumberBox
        {...look}
        // what is typed meanwhile would be replaced by what was saved
        readOnly={isSaving}
        value={values.value}
        onChange={change}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && isDirty && !isNoNumber) void save(values.value)
          if (event.key !== 'Escape') return
          setRefused(false)
          form.begin(stored)
        }}
      />
    </span>
  )
}
