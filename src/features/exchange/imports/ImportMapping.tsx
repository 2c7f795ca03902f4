import { Box, Button, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { Fragment, useState } from 'react'
import { api } from '~/client/api'
import { DayBox } from '~/fields/DayBox'
import { PickList } from '~/fields/PickList'
import { latinDigits } from '~/fields/typed'
import { AppError, type Message } from '~/shared/errors'
import { type MessageKey, translated } from '~/shared/language'
import { useSay, useLanguage } from '~/shared/say'
import { ENCODINGS, isUnreadable } from '~/shared/text-encoding'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { EncodingSelect } from '~/ui/EncodingSelect'
import { DATE_FORMATS } from './patients-file/date-format'
import {
  type ColumnFormat,
  type ColumnFormats,
  type FormatKind,
  formatOfKind,
  NUMBER_FORMATS,
} from './reader/formats'
import { DELIMITER_NAMES, type DelimiterName } from './import'
import { takesUpdates } from './lists'
import { PreviewOfRows } from './PreviewOfRows'
import type { OneImport } from './imports.server'

type Props = { one: OneImport; file: NonNullable<OneImport['file']> }

/** The target of each column beside its first cells, the dry run and the import. */
export function ImportMapping({ one: { import: row, targets, encoding: stored }, file }: Props) {
  const say = useSay()
  const language = useLanguage()
  const { run, pending } = useAction()
  const [mapping, setMapping] = useState<Record<string, string>>({ ...file.mapping })
  // by heading; null: the user took the recognized format away
  const [chosen, setChosen] = useState<Readonly<Record<string, ColumnFormat | null>>>({})
  const [refused, setRefused] = useState<readonly string[]>([])
  const [agesOn, setAgesOn] = useState<string | null>(file.ages_on)
  const [key, setKey] = useState<string | null>(file.key_column)
  const [updates, setUpdates] = useState(file.updates)
  const [allowsMissing, setAllowsMissing] = useState(file.allows_missing)
  const isOfPatients = row.list === 'patients'
  const where = row.clinic ?? say('imports.noClinic')
  const encoding = ENCODINGS.find((known) => known === stored) ?? null
  const isGarbled =
    file.sample.flat().some(isUnreadable) ||
    row.tally?.rejected.some((reason) => reason.key === 'imports.reasons.garbled')
  const taken = new Set(Object.values(mapping))
  const holds = new Map(targets.map(({ name, holds: kind }) => [name, kind]))
  const formats = formatsFor({ ...file.formats, ...chosen }, mapping, holds)
  const asks = (header: string) =>
    !formats[header] && [...file.asksFormats, ...refused].includes(header)
  const hasBirth = Object.values(mapping).includes('date_of_birth')
  const lacks =
    isOfPatients &&
    (allowsMissing ||
      file.allows_missing ||
      targets.some(({ name, required }) => required && !taken.has(name)) ||
      row.tally?.rejected.some(({ key: reason }) => OF_MISSING.has(reason)))
  const settings = {
    id: row.id,
    mapping,
    key_column: key,
    formats,
    ages_on: agesOn,
    updates,
    allows_missing: allowsMissing,
  }
  const isChecked =
    !file.isGuessed &&
    row.status === 'finished' &&
    row.task === 'check' &&
    serializeSettings(settings) === serializeSettings(mappingSettings(row.id, file, holds))

  const start = async () => {
    const question: Message = isChecked
      ? {
          key: 'imports.startAsks',
          values: { count: row.tally?.imported ?? 0, clinic: where },
        }
      : { key: 'imports.startUnchecked', values: { clinic: where } }
    // without the order of the dates nothing is imported, which the answer says: there is nothing to ask
    const isRefused =
      file.asksSheet ||
      file.headers.some((header) => holds.get(mapping[header] ?? '') && asks(header)) ||
      (file.asksAgesOn && hasBirth && !agesOn)
    if (
      !isRefused &&
      !(await confirm({ title: 'imports.startTitle', text: question, action: 'imports.start' }))
    )
      return
    await request('import')
  }

  const request = (task: 'check' | 'import') =>
    run(async () => {
      try {
        return await api.imports.run({ ...settings, task })
      } catch (error) {
        if (error instanceof AppError) setRefused(columnsIn(error))
        throw error
      }
    })

  const place = (position: { sheet: string | null; heading_line: number | null }) =>
    run(() => api.imports.setPlace({ id: row.id, ...position }))

  const columns: Column<{ id: string; at: number }>[] = [
    { key: 'column', label: 'imports.column', cell: ({ id }) => <bdi>{id}</bdi> },
    {
      key: 'fills',
      card: 'action',
      label: 'imports.fills',
      cell: ({ id: header }) => (
        <PickList
          aria-label={`${say('imports.fills')}: ${header}`}
          size="sm"
          miw="min(14rem, 75vw)"
          value={mapping[header] ?? ''}
          onChange={(name) => setMapping((current) => ({ ...current, [header]: name ?? '' }))}
          data={[
            { value: '', label: say('imports.leaveOut') },
            ...targets.map(({ name, label, required }) => ({
              value: name,
              label: `${translated(label, language) || name}${required ? ' *' : ''}`,
              disabled: taken.has(name) && mapping[header] !== name,
            })),
          ]}
          allowDeselect={false}
          searchable
          description={
            file.byContent.includes(header) &&
            mapping[header] === file.mapping[header] &&
            say('imports.byContent')
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
      ),
    },
    {
      key: 'format',
      card: 'action',
      label: 'imports.format',
      cell: ({ id: header }) => {
        const kind = holds.get(mapping[header] ?? '')
        return kind ? (
          <PickList
            aria-label={`${say('imports.format')}: ${header}`}
            size="sm"
            miw="min(18rem, 75vw)"
            value={formats[header] ?? ''}
            error={
              asks(header) &&
              say({
                key: kind === 'dates' ? 'imports.dateFormatAsks' : 'imports.numberFormatAsks',
                values: { column: header },
              })
            }
            onChange={(format) =>
              setChosen((current) => ({ ...current, [header]: formatOfKind(kind, format) }))
            }
            data={[
              { value: '', label: say('imports.formatNone') },
              ...(kind === 'dates' ? DATE_FORMATS : NUMBER_FORMATS).map((format) => ({
                value: format,
                label: format in FORMAT_LABELS ? say(FORMAT_LABELS[format]!) : format,
              })),
            ]}
            allowDeselect={false}
          />
        ) : (
          <Box visibleFrom="sm">
            <Nothing />
          </Box>
        )
      },
    },
    {
      key: 'samples',
      label: 'imports.samples',
      cell: ({ at }) => <Samples cells={file.sample.map((sampleRow) => sampleRow[at])} />,
    },
  ]

  return (
    <Stack gap="md">
      <div>
        <Title order={2} size="h3">
          {say('imports.columns')}
        </Title>
        <Text c="dimmed" size="sm">
          {say('imports.columnsLead')}
        </Text>
      </div>
      <DataTable
        label="imports.columns"
        rows={file.headers.map((header, at) => ({ id: header, at }))}
        empty="imports.columns"
        columns={columns}
      />
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {file.sheets.length > 1 && (
          <PickList
            label={say('imports.sheet')}
            error={file.asksSheet && say('imports.sheetAsks')}
            miw="14rem"
            value={file.asksSheet ? null : file.sheet}
            placeholder={file.sheet ?? undefined}
            onChange={(sheet) => void place({ sheet, heading_line: null })}
            data={file.sheets.map((sheet) => ({ value: sheet, label: sheet }))}
            allowDeselect={false}
            disabled={pending}
            withAsterisk
          />
        )}
        <TextInput
          label={say('imports.headingLine')}
          description={say('imports.headingLineHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          inputMode="numeric"
          miw="14rem"
          defaultValue={String(file.heading_line)}
          onBlur={(event) => {
            const line = Number(latinDigits(event.currentTarget.value))
            if (
              event.currentTarget.value.trim() &&
              Number.isInteger(line) &&
              line >= 0 &&
              line !== file.heading_line
            )
              void place({ sheet: file.asksSheet ? null : file.sheet, heading_line: line })
          }}
          disabled={pending}
        />
        {file.delimiter !== null && (
          <PickList
            label={say('imports.delimiter')}
            description={say('imports.delimiterHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            miw="14rem"
            value={file.delimiter}
            onChange={(name) =>
              void run(() =>
                api.imports.setDelimiter({ id: row.id, delimiter: name as DelimiterName }),
              )
            }
            data={DELIMITER_NAMES.map((name) => ({
              value: name,
              label: say(`imports.delimiters.${name}`),
            }))}
            allowDeselect={false}
            disabled={pending}
          />
        )}
        {(encoding !== null || isGarbled) && (
          <EncodingSelect
            value={encoding}
            onChange={(choice) =>
              void run(() => api.imports.setEncoding({ id: row.id, encoding: choice }))
            }
          />
        )}
        {isOfPatients && hasBirth && (
          <DayBox
            label={say('imports.agesOn')}
            description={say('imports.agesOnHint')}
            {...(file.asksAgesOn && !agesOn && { error: say('imports.agesOnAsks') })}
            value={agesOn}
            onChange={setAgesOn}
          />
        )}
        {isOfPatients && (
          <PickList
            label={say('imports.key')}
            description={say('imports.keyHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            miw="14rem"
            value={key ?? ''}
            onChange={(column) => setKey(column || null)}
            data={[
              { value: '', label: say('imports.keyNone') },
              ...[...new Set(file.headers)]
                .filter(Boolean)
                .map((header) => ({ value: header, label: header })),
            ]}
            allowDeselect={false}
            searchable
          />
        )}
      </Group>
      {lacks && (
        <Checkbox
          label={say('imports.allowsMissing')}
          description={say('imports.allowsMissingHint')}
          checked={allowsMissing}
          onChange={(event) => setAllowsMissing(event.currentTarget.checked)}
        />
      )}
      {takesUpdates(row.list) && (
        <Checkbox
          label={say('imports.updates')}
          description={say('imports.updatesHint')}
          checked={updates}
          onChange={(event) => setUpdates(event.currentTarget.checked)}
        />
      )}
      <PreviewOfRows rows={file.preview} isOfStock={row.list === 'stock'} />
      {/* at the edge of the window: what arrives above them does not move them under the pointer */}
      <Group
        data-stays
        py="sm"
        bg="var(--mantine-color-body)"
        style={{ position: 'sticky', bottom: 0, zIndex: 4 }}
      >
        <Button
          variant={isChecked ? 'default' : 'filled'}
          loading={pending}
          onClick={() => void request('check')}
        >
          {say('imports.check')}
        </Button>
        <Button
          variant={isChecked ? 'filled' : 'default'}
          disabled={pending}
          onClick={() => void start()}
        >
          {say('imports.start')}
        </Button>
      </Group>
    </Stack>
  )
}

/** Characters of a cell that is not broken: a day, or a number with a unit. */
const SHORT = 20

/** The first cells of a column. */
function Samples({ cells }: { cells: readonly (string | undefined)[] }) {
  const shown = cells.filter(Boolean).slice(0, 3)
  return shown.length === 0 ? (
    <Nothing />
  ) : (
    // wrapped: in one line, an ellipsis would hide the first cell of a file in the other direction
    <Text size="sm" c="dimmed" lineClamp={3} maw="20rem" component="div">
      <bdi>
        {shown.map((cell, at) => (
          // the cells stay in the order of the file
          // oxlint-disable-next-line react/no-array-index-key
          <Fragment key={at}>
            {at > 0 && ' · '}
            <span style={{ whiteSpace: cell!.length <= SHORT ? 'nowrap' : undefined }}>{cell}</span>
          </Fragment>
        ))}
      </bdi>
    </Text>
  )
}

/** The same for the same settings: the database keeps columns in an order of its own. */
const serializeSettings = ({ mapping, ...others }: ReturnType<typeof mappingSettings>) =>
  JSON.stringify([
    Object.entries(mapping)
      .filter(([, target]) => target)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    others,
  ])

/** Why a row is rejected that can be registered without what the form requires. */
const OF_MISSING: ReadonlySet<string> = new Set<MessageKey>([
  'imports.reasons.missing',
  'imports.reasons.option',
  'imports.reasons.sexLetter',
])

const FORMAT_LABELS: Readonly<Record<string, MessageKey>> = {
  'YYYY-MM-DD': 'imports.dateFormatYearFirst',
  excel: 'imports.dateFormatExcel',
  point: 'imports.numberFormats.point',
  comma: 'imports.numberFormats.comma',
}

/** The format of each column whose target holds dates or numbers, if it is one for them. */
function formatsFor(
  formats: Readonly<Record<string, ColumnFormat | null>>,
  mapping: Readonly<Record<string, string>>,
  holds: ReadonlyMap<string, FormatKind | null>,
): ColumnFormats {
  const entries = Object.entries(mapping).flatMap(([header, target]) => {
    const kind = holds.get(target)
    const format = kind && formatOfKind(kind, formats[header])
    return format ? [[header, format] as const] : []
  })
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** The columns that a refusal names. */
const columnsIn = ({ fields }: AppError) =>
  Object.values(fields).flatMap(({ values }) => {
    const column = values?.['column']
    return typeof column === 'string' ? [column] : []
  })

/** The settings at the last check, in the order in which the screen builds them. */
const mappingSettings = (
  id: string,
  file: Props['file'],
  holds: ReadonlyMap<string, FormatKind | null>,
) => ({
  id,
  mapping: { ...file.mapping },
  key_column: file.key_column,
  formats: formatsFor(file.formats, file.mapping, holds),
  ages_on: file.ages_on,
  updates: file.updates,
  allows_missing: file.allows_missing,
})
