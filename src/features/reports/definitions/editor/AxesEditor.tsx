import { ActionIcon, Button, Group, Menu, Stack, Text } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import type { Axis, Band } from '~/features/reports/cells/definition'
import type { ReportSource } from '~/features/reports/cells/fields'
import { PickList, PickSeveral } from '~/fields/PickList'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import { TypedText } from '~/ui/TypedText'
import {
  type DefinitionUpdater,
  type DefinitionDraft,
  idFrom,
  translatedName,
  renamed,
} from './definition-draft'
import { NamedPart } from './NamedPart'
import { useProblem } from './problems'
import { TestEditor } from './TestEditor'

type Props = {
  draft: DefinitionDraft
  change: DefinitionUpdater
  language: Language
  onRemoved: DefinitionUpdater
}

const SEXES = ['male', 'female', 'unknown'] as const
/** The names that a definition stores: each user reads the report in their own language. */
const under = (age: number) => ({
  en: `Under ${age}`,
  ar: `أقل من ${age}`,
  es: `Menor de ${age}`,
})
const over = (age: number) => ({ en: `${age} and over`, ar: `${age} فأكثر`, es: `${age} y más` })
const between = (from: number, to: number) => {
  const ages = `${from}–${to}`
  return { en: ages, ar: ages, es: ages }
}
const AGE_UNKNOWN = {
  id: 'unknown',
  names: { en: 'Age unknown', ar: 'العمر غير معروف', es: 'Edad desconocida' },
}

/** Completed months; the last band is for patients without a date of birth. */
const PRESETS = {
  sex: [...SEXES],
  underFive: [
    { id: 'u5', to: 60, names: under(5) },
    { id: 'o5', from: 60, names: over(5) },
    AGE_UNKNOWN,
  ],
  fiveBands: [
    { id: '0-11m', to: 12, names: under(1) },
    { id: '1-4y', from: 12, to: 60, names: between(1, 4) },
    { id: '5-14y', from: 60, to: 180, names: between(5, 14) },
    { id: '15y+', from: 180, names: over(15) },
    AGE_UNKNOWN,
  ],
  adults: [
    { id: '0-17y', to: 216, names: under(18) },
    { id: '18-29y', from: 216, to: 360, names: between(18, 29) },
    { id: '30-49y', from: 360, to: 600, names: between(30, 49) },
    { id: '50-69y', from: 600, to: 840, names: between(50, 69) },
    { id: '70y+', from: 840, names: over(70) },
    AGE_UNKNOWN,
  ],
  clinics: [{ id: 'clinics', each: 'clinic' }],
} satisfies Record<string, Axis>
const PRESET_NAMES = ['sex', 'underFive', 'fiveBands', 'adults', 'clinics'] as const
const presetId = {
  sex: 'sex',
  underFive: 'age',
  fiveBands: 'age',
  adults: 'age',
  clinics: 'clinics',
} as const

const isSex = (axis: Axis): axis is Extract<Axis, string[]> => typeof axis[0] === 'string'

/** What columns are made of: sexes and age bands, or bands with conditions of their own. */
export function AxesEditor({ draft, change, language, onRemoved }: Props) {
  const say = useSay()
  const axes = Object.entries(draft.axes ?? {}).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  const add = (wanted: string, axis: Axis) =>
    change((now) => {
      const name = idFrom(wanted, new Set(Object.keys(now.axes ?? {})))
      return { ...now, axes: { ...now.axes, [name]: axis } }
    })
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {say('reportEditor.axesLead')}
      </Text>
      {axes.map(([name, axis]) => (
        <OneAxis
          key={name}
          {...{ draft, name, axis, language }}
          onChange={(next) => change((now) => ({ ...now, axes: { ...now.axes, [name]: next } }))}
          onRename={(to) => change((now) => renamed(now, 'axes', name, to))}
          onRemove={() => {
            onRemoved((now) => ({ ...now, axes: { ...now.axes, [name]: axis } }))
            change((now) => {
              const { [name]: _, ...rest } = now.axes ?? {}
              return { ...now, axes: rest }
            })
          }}
        />
      ))}
      <Group>
        <Menu position="bottom-start">
          <Menu.Target>
            <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />}>
              {say('reportEditor.addAxis')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {PRESET_NAMES.map((preset) => (
              <Menu.Item
                key={preset}
                onClick={() => add(presetId[preset], structuredClone(PRESETS[preset]) as Axis)}
              >
                {say(`reportEditor.axis_${preset}`)}
              </Menu.Item>
            ))}
            <Menu.Item onClick={() => add('columns', [{ id: '1' }])}>
              {say('reportEditor.axis_own')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
    </Stack>
  )
}

type OneProps = {
  draft: DefinitionDraft
  name: string
  axis: Axis
  language: Language
  onChange: (axis: Axis) => void
  onRename: (to: string) => void
  onRemove: () => void
}

function OneAxis({ draft, name, axis, language, onChange, onRename, onRemove }: OneProps) {
  const say = useSay()
  const problem = useProblem(['axes', name])
  const isOfClinics = !isSex(axis) && axis.some((band) => band.each)
  return (
    <NamedPart
      label={say('reportEditor.axisName')}
      name={name}
      onRename={onRename}
      onRemove={onRemove}
    >
      {isSex(axis) && (
        <PickSeveral
          label={say('reportWords.field_patient_sex')}
          value={[...axis]}
          onChange={(sexes) => {
            const next = SEXES.filter((sex) => sexes.includes(sex))
            if (next.length > 0) onChange(next)
          }}
          data={SEXES.map((value) => ({ value, label: say(`reportWords.option_${value}`) }))}
        />
      )}
      {!isSex(axis) && isOfClinics && <Text size="sm">{say('reportEditor.bandClinics')}</Text>}
      {!isSex(axis) && !isOfClinics && (
        <Bands {...{ draft, name, language }} bands={axis} onChange={onChange} />
      )}
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {say(problem)}
        </Text>
      )}
    </NamedPart>
  )
}

type BandsProps = {
  draft: DefinitionDraft
  name: string
  bands: readonly Band[]
  language: Language
  onChange: (bands: Band[]) => void
}

function Bands({ draft, name, bands, language, onChange }: BandsProps) {
  const say = useSay()
  const set = (at: number, band: Band) => onChange(bands.with(at, band))
  const bound = (at: number, band: Band, edge: 'from' | 'to', months: number | '') => {
    const { [edge]: _, ...rest } = band
    set(at, months === '' ? rest : { ...rest, [edge]: months })
  }
  return (
    <Stack gap="xs">
      {bands.map((band, at) => {
        const number = at + 1
        const isUnknown =
          band.from === undefined && band.to === undefined && !band.where && !band.measure
        return (
          // a band's id is made from its name
          // oxlint-disable-next-line react/no-array-index-key
          <Stack key={at} gap={4}>
            <Group gap={6} align="flex-end" wrap="wrap">
              <TypedText
                label={say({ key: 'reportEditor.bandName', values: { number } })}
                value={translatedName(band.names, language) || band.id}
                onType={(text) =>
                  set(at, {
                    ...band,
                    names: { ...band.names, en: band.names?.en ?? text, [language]: text },
                  })
                }
              />
              {band.measure && (
                <PickList
                  label={say('reportEditor.like')}
                  value={band.measure}
                  onChange={(measure) => measure && set(at, { ...band, measure })}
                  data={Object.keys(draft.measures ?? {}).toSorted()}
                  searchable
                  allowDeselect={false}
                  nothingFoundMessage={say('reportEditor.noMeasures')}
                />
              )}
              {!band.where && !band.measure && (
                <>
                  <NumberBox
                    label={say('reportEditor.fromMonths')}
                    isWhole
                    value={band.from ?? null}
                    onChange={(months) => bound(at, band, 'from', months)}
                    min={0}
                    w="8rem"
                  />
                  <NumberBox
                    label={say('reportEditor.toMonths')}
                    isWhole
                    value={band.to ?? null}
                    onChange={(months) => bound(at, band, 'to', months)}
                    min={1}
                    w="8rem"
                  />
                </>
              )}
              <ActionIcon
                variant="default"
                size="input-sm"
                disabled={bands.length === 1}
                onClick={() => onChange(bands.toSpliced(at, 1))}
                aria-label={say({ key: 'reportEditor.removeBand', values: { number } })}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </Group>
            {isUnknown && (
              <Text size="xs" c="dimmed">
                {say('reportEditor.bandUnknown')}
              </Text>
            )}
            {(band.where || isUnknown) && (
              <TestEditor
                label={say('reportEditor.bandWhere')}
                source={'visits' satisfies ReportSource}
                test={band.where}
                groups={Object.keys(draft.groups ?? {})}
                path={['axes', name, at, 'where']}
                onChange={(where) => {
                  const { where: _, ...rest } = band
                  set(at, where ? { ...rest, where } : rest)
                }}
              />
            )}
          </Stack>
        )
      })}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() =>
            onChange([
              ...bands,
              { id: idFrom(String(bands.length + 1), new Set(bands.map(({ id }) => id))) },
            ])
          }
        >
          {say('reportEditor.addBand')}
        </Button>
      </Group>
    </Stack>
  )
}
