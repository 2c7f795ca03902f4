import { Group } from '@mantine/core'
import type { Window } from '~/features/reports/cells/definition'
import { sourceFields, type ReportSource } from '~/features/reports/cells/fields'
import { PickList } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import { fieldLabel, kindOfWindow, WINDOWS, defaultWindow, windowsFor } from './report-words'

type Props = {
  source: ReportSource
  /** The source whose row a condition is about; null: the range of a count itself. */
  outer: ReportSource | null
  window: Window
  onChange: (window: Window) => void
  error?: string
}

/** When the counted rows happened. */
export function WindowPicker({ source, outer, window, onChange, error }: Props) {
  const say = useSay()
  const kind = kindOfWindow(window)
  const kinds = [...new Set([...windowsFor(source, outer), kind])]
  const isOfRow = typeof window === 'object' && 'days' in window
  const days = Object.entries(outer ? sourceFields(outer) : {}).filter(
    ([, { type }]) => type === 'day',
  )
  return (
    <Group gap={6} align="flex-start">
      <PickList
        label={say('reportEditor.when')}
        value={kind}
        onChange={(value) => {
          const next = WINDOWS.find((one) => one === value)
          if (next) onChange(defaultWindow(next, outer))
        }}
        data={kinds.map((value) => ({ value, label: say(`reportWords.window_${value}`) }))}
        allowDeselect={false}
        flex="2 1 12rem"
        error={error}
      />
      {typeof window === 'object' && 'months' in window && (
        <NumberBox
          label={say('reportEditor.months')}
          value={window.months}
          onChange={(value) => value !== '' && onChange({ months: value })}
          min={1}
          max={120}
          isWhole
          fallback={3}
          flex="1 1 5rem"
        />
      )}
      {isOfRow && (
        <>
          {([0, 1] as const).map((at) => (
            <NumberBox
              key={at}
              label={say(at === 0 ? 'reportEditor.fromDay' : 'reportEditor.toDay')}
              value={window.days[at]}
              onChange={(value) =>
                value !== '' &&
                onChange({ ...window, days: window.days.with(at, value) as [number, number] })
              }
              flex="1 1 5rem"
            />
          ))}
          <PickList
            label={say('reportEditor.afterDay')}
            value={window.after}
            onChange={(after) => after && onChange({ ...window, after })}
            data={days.map(([name]) => ({ value: name, label: say(fieldLabel(name)) }))}
            allowDeselect={false}
            flex="1 1 10rem"
          />
        </>
      )}
    </Group>
  )
}
