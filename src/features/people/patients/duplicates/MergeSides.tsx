/* oxlint-disable jsx-a11y/prefer-tag-over-role -- browsers drop the roles of table elements whose display is changed */
import { Paper, Radio, Table, Text, VisuallyHidden } from '@mantine/core'
import { isEmpty } from '~/fields/kind'
import { fieldKinds } from '~/fields/kinds'
import { formField } from '~/features/people/registration/form-fields'
import type {
  RegistrationField,
  RegistrationForm,
} from '~/features/people/registration/registration-form'
import { readStoredAnswer } from '~/forms/answer'
import { type Language, translated } from '~/shared/language'
import { type Sayable, useSay } from '~/shared/say'
import { Nothing } from '~/ui/columns'
import type { Side } from './merge'
import classes from './MergeSides.module.css'
import type { MergePreview } from './merge.server'

type Choices = Record<string, Side>
type Props = {
  preview: MergePreview
  form: RegistrationForm
  clinics: readonly { id: string; name: string }[]
  language: Language
  choices: Choices
  onChoose: (name: string, side: Side) => void
}

type Line = {
  name: string
  label: string
  winner: unknown
  loser: unknown
  keeps: Side
  field?: RegistrationField
}

/** Both records with a line per field. Where they differ, the user chooses one value. */
export function MergeSides({ preview, form, clinics, language, choices, onChoose }: Props) {
  const say = useSay()
  const lines = buildLines(preview, form, clinics, language, say).filter(
    ({ winner, loser }) => !isEmpty(winner) || !isEmpty(loser),
  )
  return (
    <Paper withBorder className={classes.frame}>
      <Table role="table" verticalSpacing="xs" className={classes.table}>
        <caption>
          <VisuallyHidden>{say('merge.title')}</VisuallyHidden>
        </caption>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            <Table.Th role="columnheader" scope="col">
              {say('merge.field')}
            </Table.Th>
            <Table.Th role="columnheader" scope="col">
              {say('merge.winner')}
            </Table.Th>
            <Table.Th role="columnheader" scope="col">
              {say('merge.loser')}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {lines.map((line) => (
            <Row
              key={line.name}
              line={line}
              side={choices[line.name] ?? line.keeps}
              language={language}
              onChoose={onChoose}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

type RowProps = { line: Line; side: Side; language: Language; onChoose: Props['onChoose'] }

function Row({ line, side, language, onChoose }: RowProps) {
  const say = useSay()
  const isSame = JSON.stringify(line.winner) === JSON.stringify(line.loser)
  const cell = (of: Side) => {
    const shown = <Shown value={line[of]} field={line.field} language={language} />
    if (isSame) return shown
    return (
      <Radio
        name={`keep-${line.name}`}
        checked={side === of}
        onChange={() => onChoose(line.name, of)}
        aria-label={say({
          key: 'merge.keepOf',
          values: { field: line.label, side: say(`merge.${of}`) },
        })}
        label={shown}
      />
    )
  }
  return (
    <Table.Tr role="row">
      <Table.Th role="rowheader" scope="row" fw={500}>
        {line.label}
      </Table.Th>
      <Table.Td role="cell">{cell('winner')}</Table.Td>
      <Table.Td role="cell">{cell('loser')}</Table.Td>
    </Table.Tr>
  )
}

function Shown({
  value,
  field,
  language,
}: {
  value: unknown
  field: RegistrationField | undefined
  language: Language
}) {
  if (isEmpty(value)) return <Nothing />
  if (!field) {
    return (
      <Text span size="sm">
        <bdi>{String(value)}</bdi>
      </Text>
    )
  }
  const drawn = formField(field, language)
  const { Cell } = fieldKinds[drawn.kind]
  return <Cell field={drawn} value={value} />
}

function buildLines(
  { fields, answers }: MergePreview,
  form: RegistrationForm,
  clinics: Props['clinics'],
  language: Language,
  say: (what: Sayable) => string,
): Line[] {
  const ofBase = (column: string) =>
    form.fields.find((field) => field.baseField && field.column === column)
  const columnPosition = (column: string) => ofBase(column)?.position ?? form.fields.length + 1
  const ordered = fields.toSorted((a, b) => columnPosition(a.name) - columnPosition(b.name))
  const lineLabel = (name: string, field: RegistrationField | undefined) => {
    if (name === 'primary_clinic_id') return say('clinics.one')
    if (name === 'photo_url') return say('merge.photo')
    if (name === 'died_on') return say('patients.died_on')
    if (name === 'language') return say('patients.language')
    if (name === 'weeks_at_birth') return say('patients.weeksAtBirth')
    return field ? translated(field.label, language) : name
  }
  const clinicName = (id: string | number | null) =>
    clinics.find((clinic) => clinic.id === id)?.name ?? id
  return [
    ...ordered.map(({ name, winner, loser, keeps }) => {
      const field = ofBase(name)
      if (name === 'primary_clinic_id')
        return {
          name,
          label: lineLabel(name, field),
          winner: clinicName(winner),
          loser: clinicName(loser),
          keeps,
        }
      if (name === 'photo_url')
        return {
          name,
          label: lineLabel(name, field),
          winner: winner && say('common.yes'),
          loser: loser && say('merge.photoOther'),
          keeps,
        }
      return { name, label: lineLabel(name, field), winner, loser, keeps, field }
    }),
    ...answers.map(({ id, winner, loser, keeps }) => {
      const field = form.fields.find((each) => each.id === id)
      const read = (answer: typeof winner) =>
        answer && readStoredAnswer(field?.fieldType, answer, 'UTC')
      const label = field
        ? translated(field.label, language)
        : (winner?.attribute ?? loser?.attribute ?? id)
      return {
        name: `answers.${id}`,
        label,
        winner: read(winner),
        loser: read(loser),
        keeps,
        field,
      }
    }),
  ]
}
