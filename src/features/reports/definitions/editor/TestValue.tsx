import { TagsInput, TextInput } from '@mantine/core'
import type { Value } from '~/features/reports/cells/definition'
import type { FieldSpec, Op } from '~/features/reports/cells/fields'
import { PickList, PickSeveral } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import { optionLabel } from './report-words'

type Props = {
  type: FieldSpec['type']
  options?: readonly string[] | undefined
  op: Op
  value: Value
  /** Names of the groups of codes. */
  groups: readonly string[]
  onChange: (value: Value) => void
}

/** The value that a field is compared with, by the type of the field. */
export function TestValue({ type, options, op, value, groups, onChange }: Props) {
  const say = useSay()
  const look = { 'aria-label': say('reportEditor.value'), flex: '1 1 9rem', miw: 0 } as const
  const yesNo = ([true, false] as const).map((one) => ({
    value: String(one),
    label: say(one ? 'common.yes' : 'common.no'),
  }))
  if (op === 'isSet' || type === 'boolean')
    return (
      <PickList
        {...look}
        value={String(value)}
        onChange={(chosen) => onChange(chosen === 'true')}
        data={yesNo}
        allowDeselect={false}
      />
    )
  const choices = options?.map((one) => ({ value: one, label: say(optionLabel(one)) }))
  const isGroup = op === 'inGroup'
  const many = Array.isArray(value) ? value.map(String) : null
  if (isGroup || choices) {
    const data = choices ?? [...new Set([...groups, ...(many ?? [String(value)])])].filter(Boolean)
    if (many)
      return (
        <PickSeveral
          {...look}
          value={many}
          onChange={(next) => onChange(next)}
          data={data}
          searchable
          hidePickedOptions
          nothingFoundMessage={say('form.nothingFound')}
        />
      )
    return (
      <PickList
        {...look}
        value={String(value) || null}
        onChange={(next) => next && onChange(next)}
        data={data}
        searchable={data.length > 7}
        placeholder={isGroup ? say('reportEditor.chooseGroup') : undefined}
        allowDeselect={false}
        nothingFoundMessage={say('reportEditor.noGroups')}
      />
    )
  }
  if (many)
    return (
      <TagsInput
        {...look}
        value={many}
        onChange={(next) =>
          onChange(type === 'number' ? next.map(Number).filter((one) => !Number.isNaN(one)) : next)
        }
      />
    )
  if (type === 'number')
    return (
      <NumberBox
        {...look}
        value={typeof value === 'number' ? value : null}
        onChange={(next) => next !== '' && onChange(next)}
        fallback={0}
      />
    )
  return (
    <TextInput
      {...look}
      type={type === 'day' ? 'date' : 'text'}
      value={String(value)}
      onChange={(event) => onChange(event.currentTarget.value)}
      dir="auto"
      autoComplete="off"
    />
  )
}
