import { Alert, Group, List, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { memo, useMemo, useState } from 'react'
import { explainError } from '~/client/explain'
import { useQuery } from '~/client/query'
import {
  cellKey,
  sectionColumns,
  type ReportColumn,
  isOfMedicine,
  type ReportSection,
  definitionErrors,
} from '~/features/reports/cells/definition'
import {
  type PeriodKind,
  periodAt,
  previousPeriod,
  readPeriod,
} from '~/features/reports/cells/period'
import { useSheetNames } from '~/features/reports/runs/sheet/sheet-names'
import { PickList } from '~/fields/PickList'
import { AppError } from '~/shared/errors'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { clinicTimeZone, clinicToday } from '~/shared/zone'
import { toSavedDefinition, type DefinitionDraft, translatedName } from './definition-draft'

type Props = {
  draft: DefinitionDraft
  clinics: readonly { id: string; name: string }[]
  ownClinicId: string | null
  language: Language
}

/** After the last change. */
const PREVIEW_DELAY_MS = 500

/** The report as it would be, with the numbers of a clinic and a period. It follows once typing pauses. */
export function DefinitionPreview({ draft, ...others }: Props) {
  const [settled] = useDebouncedValue(draft, PREVIEW_DELAY_MS)
  return <SettledPreview draft={settled} {...others} />
}

const SettledPreview = memo(function SettledPreview(props: Props) {
  const { draft, clinics, ownClinicId, language } = props
  const say = useSay()
  const [clinicId, setClinicId] = useState(ownClinicId ?? clinics[0]?.id ?? null)
  const [typed, setTyped] = useState<string | null>(null)
  const period = typed ?? lastFullPeriod(draft.period)
  const body = useMemo(() => toSavedDefinition(draft), [draft])
  const problems = useMemo(() => Object.entries(definitionErrors(body)), [body])
  const isPeriod = readPeriod(period, clinicTimeZone())?.kind === body.period
  const { data, error } = useQuery(
    'reportDefinitions.preview',
    problems.length === 0 && isPeriod && clinicId
      ? { body: body as never, clinic_ids: [clinicId], period } // found whole
      : null,
    { keepPrevious: true },
  )
  const values = new Map(data?.cells.map((cell) => [cellKey(cell), cell.value]))
  /** Of a row that stands for each medicine, the rows of the last answer. */
  const withMedicines = (section: ReportSection): ReportSection => {
    const answered = data?.definition.sections.find(({ id }) => id === section.id)?.rows ?? []
    const rows = section.rows.flatMap((row) => (row.each ? answered.filter(isOfMedicine) : [row]))
    return { ...section, rows }
  }
  return (
    <Stack gap="sm" component="section" aria-label={say('formEditor.preview')}>
      <Title order={2}>{say('formEditor.preview')}</Title>
      <Group gap="xs" align="flex-start">
        <PickList
          label={say('reportEditor.clinic')}
          value={clinicId}
          onChange={setClinicId}
          data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
          allowDeselect={false}
          searchable={clinics.length > 7}
          nothingFoundMessage={say('form.nothingFound')}
          flex="1 1 10rem"
        />
        <TextInput
          label={say('reportEditor.previewPeriod')}
          value={period}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={!isPeriod && say(`reportEditor.periodLike_${body.period}`)}
          dir="ltr"
          maxLength={10}
          w="9rem"
        />
      </Group>
      {problems.length > 0 && (
        <Alert color="yellow" variant="light" role="none">
          <Text size="sm" fw={600}>
            {say('reportEditor.incomplete')}
          </Text>
          <List size="sm">
            {problems.slice(0, 5).map(([path, text]) => (
              <List.Item key={path}>
                <bdi>{problemLocation(body, path.split('.').slice(1), language, say)}</bdi>:{' '}
                {say(text)}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {error !== null && problems.length === 0 && (
        <Alert color="red" variant="light" role="none">
          <Text size="sm">
            {say(error instanceof AppError ? error.text : explainError(error).text)}
          </Text>
        </Alert>
      )}
      {body.sections.map((section) => (
        <PreviewTable
          key={section.id}
          {...{ body, language, values }}
          section={withMedicines(section)}
          columns={sectionColumns(body, section)}
        />
      ))}
    </Stack>
  )
})

type TableProps = {
  body: DefinitionDraft
  section: ReportSection
  columns: readonly ReportColumn[]
  values: ReadonlyMap<string, number | null>
  language: Language
}

function PreviewTable({ body, section, columns, values, language }: TableProps) {
  const say = useSay()
  const { columnName } = useSheetNames(body, language)
  if (section.rows.length === 0) return null
  return (
    <Table.ScrollContainer minWidth={0} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table withTableBorder withColumnBorders captionSide="top" fz="sm" verticalSpacing={4}>
        <Table.Caption>
          <bdi>{translatedName(section.names, language)}</bdi>
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{say('reportEditor.row')}</Table.Th>
            {columns.map((column) => (
              <Table.Th key={column.id} scope="col" ta="end">
                <bdi>{columnName(section, column)}</bdi>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {section.rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Th scope="row" fw={400}>
                <bdi>{translatedName(row.names, language) || say('reportEditor.unnamed')}</bdi>
              </Table.Th>
              {columns.map(({ id: column }) => (
                <Table.Td key={column} ta="end">
                  {values.get(cellKey({ section: section.id, row: row.id, column })) ?? '—'}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function lastFullPeriod(kind: PeriodKind): string {
  const now = periodAt(kind, clinicToday())
  return previousPeriod(now) ?? now
}

/** Where a problem is, by the names on the paper. */
function problemLocation(
  body: DefinitionDraft,
  path: readonly string[],
  language: Language,
  say: ReturnType<typeof useSay>,
): string {
  const [part = '', name = '', list, at] = path
  if (part === 'names') return say('reportEditor.about')
  if (part === 'code') return say('reportEditor.code')
  const section = part === 'sections' ? body.sections[Number(name)] : undefined
  if (!section) return part === 'sections' ? say('reportEditor.tab_form') : name || part
  const row = list === 'rows' ? section.rows[Number(at)] : undefined
  const sectionName = translatedName(section.names, language) || say('reportEditor.section')
  if (!row) return sectionName
  return `${sectionName} / ${translatedName(row.names, language) || say('reportEditor.unnamed')}`
}
