import { Button, Checkbox, Group, Paper, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { IconDeviceFloppy } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import {
  definitionCells,
  type ReportColumn,
  sectionColumns,
  type ReportDefinition,
  type ReportSection,
} from '~/features/reports/cells/definition'
import { useSheetNames } from '~/features/reports/runs/sheet/sheet-names'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { FormAlert } from '~/ui/FormAlert'
import { useFormState } from '~/ui/form'
import classes from './CodesForm.module.css'
import { columnCategories, writeCategories } from './adx'
import { mappedValues, type PlaceCode, buildTargetFinder } from './data-value-set'

type Props = {
  definitionId: string
  definition: ReportDefinition
  codes: readonly PlaceCode[]
  language: Language
}

type Entry = { code: string; option_code: string; sends_zero: boolean; adx: string }
type Values = Record<string, Entry>
type Place = Pick<PlaceCode, 'section' | 'row_id' | 'column_id'>

const EMPTY: Entry = { code: '', option_code: '', sends_zero: false, adx: '' }
const placeKey = ({ section, row_id, column_id }: Place) =>
  JSON.stringify([section, row_id, column_id])
const parsePlaceKey = (key: string): Place => {
  const [section = null, row_id = null, column_id = null] = JSON.parse(key) as (string | null)[]
  return { section, row_id, column_id }
}

const toFormValues = (codes: readonly PlaceCode[]): Values =>
  Object.fromEntries(
    codes.map(({ code, option_code, sends_zero, adx, ...place }) => [
      placeKey(place),
      { code, option_code: option_code ?? '', sends_zero, adx: adx ?? '' },
    ]),
  )
const toPlaceCodes = (values: Values): PlaceCode[] =>
  Object.entries(values)
    .filter(([, { code, adx }]) => code.trim() !== '' || adx.trim() !== '')
    .map(([key, { code, option_code, sends_zero, adx }]) => {
      const place = parsePlaceKey(key)
      const isOfRow = place.row_id !== null
      return {
        ...place,
        code: code.trim(),
        option_code: isOfRow ? option_code.trim() || null : null,
        sends_zero: isOfRow && sends_zero,
        adx: adx.trim() || null,
      }
    })
const differs = (a: Values, b: Values) =>
  JSON.stringify(toPlaceCodes(a).toSorted(byPlace)) !==
  JSON.stringify(toPlaceCodes(b).toSorted(byPlace))
const byPlace = (a: Place, b: Place) => (placeKey(a) < placeKey(b) ? -1 : 1)

/** What DHIS2 calls the report, its rows and its columns; a cell can have codes of its own. */
export function CodesForm({ definitionId, definition, codes, language }: Props) {
  const say = useSay()
  const router = useRouter()
  const { values, change, errors, alert, isDirty, isSaving, rebase, ref, submit } =
    useFormState<Values>({
      start: () => toFormValues(codes),
      differs,
    })
  const sent = toPlaceCodes(values)
  const places = new Map(sent.map((code, at) => [placeKey(code), at]))
  /** Of what was sent, by its place in it. */
  const errorAt = (place: Place, name: 'code' | 'option_code' | 'adx') => {
    const error = errors[`codes.${places.get(placeKey(place))}.${name}`]
    return error && say(error)
  }
  const entryAt = (place: Place) => values[placeKey(place)] ?? EMPTY
  const set = (place: Place, entry: Partial<Entry>) =>
    change((now) => ({
      ...now,
      [placeKey(place)]: { ...(now[placeKey(place)] ?? EMPTY), ...entry },
    }))
  const cells = definitionCells(definition).map((cell) => ({ ...cell, value: null }))
  const targetOf = buildTargetFinder(
    sent.filter(({ section }) => section !== null),
    definition,
  )
  const { unmapped, repeated } = mappedValues(cells, targetOf)
  const { columnName } = useSheetNames(definition, language)
  const report = { section: null, row_id: null, column_id: null }

  const save = async () => {
    await api.externalCodes.save({ definitionId, codes: toPlaceCodes(values) })
    rebase(values)
    await router.invalidate()
    toast.success(say('externalCodes.saved'))
  }
  const box = (
    place: Place,
    label: string,
    name: 'code' | 'option_code' | 'adx' = 'code',
    placeholder?: 'UID' | 'ADX',
  ) => (
    <TextInput
      aria-label={label}
      size="xs"
      value={entryAt(place)[name]}
      placeholder={placeholder}
      error={errorAt(place, name)}
      onChange={(event) => set(place, { [name]: event.currentTarget.value })}
      maxLength={name === 'adx' ? 500 : 230}
      dir="ltr"
      autoComplete="off"
      miw="7rem"
    />
  )
  /** The ADX categories of a column; without an entry, those that its axes give are sent. */
  const categoriesBox = (section: ReportSection, column: ReportColumn) => {
    const place = { section: section.id, row_id: null, column_id: column.id }
    const computed = writeCategories(
      columnCategories(definition, { section: section.id, column: column.id }),
    )
    return (
      <>
        {box(
          place,
          say({ key: 'externalCodes.adxOf', values: { name: columnName(section, column) } }),
          'adx',
          'ADX',
        )}
        {!entryAt(place).adx && (
          <Text size="xs" c="dimmed" fw={400} dir="ltr">
            {computed}
          </Text>
        )}
      </>
    )
  }

  return (
    <form ref={ref} onSubmit={(event) => void submit(event, save)} method="post" noValidate>
      <Stack gap="md">
        <FormAlert {...alert} />
        <TextInput
          label={say('externalCodes.dataSet')}
          description={say('externalCodes.dataSetHint')}
          value={entryAt(report).code}
          onChange={(event) => set(report, { code: event.currentTarget.value })}
          maxLength={230}
          maw="24rem"
          dir="ltr"
        />
        <Text size="sm">
          {unmapped.length === 0 && repeated.length === 0
            ? say('externalCodes.complete')
            : say({
                key: 'externalCodes.incomplete',
                values: { unmapped: unmapped.length, repeated: repeated.length },
              })}
        </Text>
        {definition.sections.map((section) => {
          const columns = sectionColumns(definition, section)
          const isPlain = columns.length === 1 && columns[0]?.id === 'value'
          const title = translated(section.names, language)
          return (
            <Paper key={section.id} withBorder p="md" component="section" aria-label={title}>
              <Title order={2} size="h4" mb="sm">
                <bdi>{title}</bdi>
              </Title>
              <Table.ScrollContainer
                minWidth={0}
                scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
              >
                <Table fz="sm" verticalSpacing={4} className={classes.table}>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th scope="col">{say('reportEditor.row')}</Table.Th>
                      <Table.Th scope="col">{say('externalCodes.dataElement')}</Table.Th>
                      {isPlain && <Table.Th scope="col">{say('externalCodes.option')}</Table.Th>}
                      <Table.Th scope="col">{say('externalCodes.sendsZero')}</Table.Th>
                      {!isPlain &&
                        columns.map((column) => (
                          <Table.Th key={column.id} scope="col">
                            <Stack gap={2}>
                              <bdi>{columnName(section, column)}</bdi>
                              {box(
                                { section: section.id, row_id: null, column_id: column.id },
                                say({
                                  key: 'externalCodes.optionOf',
                                  values: { name: columnName(section, column) },
                                }),
                                'code',
                                'UID',
                              )}
                              {column.id !== 'total' && categoriesBox(section, column)}
                            </Stack>
                          </Table.Th>
                        ))}
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {section.rows.map((row) => {
                      const name = translated(row.names, language)
                      const place = { section: section.id, row_id: row.id, column_id: null }
                      return (
                        <Table.Tr key={row.id}>
                          <Table.Th scope="row" fw={400}>
                            <bdi>{name}</bdi>
                          </Table.Th>
                          <Table.Td>
                            {box(place, say({ key: 'externalCodes.elementOf', values: { name } }))}
                            {row.dhis2 && !entryAt(place).code && (
                              <Text size="xs" c="dimmed" dir="ltr">
                                {row.dhis2}
                              </Text>
                            )}
                          </Table.Td>
                          {isPlain && (
                            <Table.Td>
                              {box(
                                place,
                                say({ key: 'externalCodes.optionOf', values: { name } }),
                                'option_code',
                              )}
                            </Table.Td>
                          )}
                          <Table.Td>
                            <Checkbox
                              aria-label={say({
                                key: 'externalCodes.sendsZeroOf',
                                values: { name },
                              })}
                              checked={entryAt(place).sends_zero}
                              onChange={(event) =>
                                set(place, { sends_zero: event.currentTarget.checked })
                              }
                            />
                          </Table.Td>
                          {!isPlain &&
                            columns.map((column) => {
                              const cell = { ...place, column_id: column.id }
                              const target = targetOf({
                                section: section.id,
                                row: row.id,
                                column: column.id,
                              })
                              return (
                                <Table.Td key={column.id}>
                                  {box(
                                    cell,
                                    say({
                                      key: 'externalCodes.cellOf',
                                      values: { name, column: columnName(section, column) },
                                    }),
                                  )}
                                  {!target && column.id !== 'total' && (
                                    <Text size="xs" c="dimmed">
                                      {say('externalCodes.noCode')}
                                    </Text>
                                  )}
                                </Table.Td>
                              )
                            })}
                        </Table.Tr>
                      )
                    })}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            </Paper>
          )
        })}
        <Group gap="sm">
          <Button
            type="submit"
            leftSection={<IconDeviceFloppy size={16} aria-hidden />}
            disabled={!isDirty || isSaving}
          >
            {say(isSaving ? 'common.saving' : 'common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
