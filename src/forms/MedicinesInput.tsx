import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  Input,
  Paper,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useId } from 'react'
import { PickList } from '~/fields/PickList'
import { useFrame } from '~/fields/frame'
import { type InputProps, typed } from '~/fields/kind'
import { DOSE_UNITS, DOSAGE_FORMS, ROUTES } from '~/shared/dosage'
import { newId } from '~/shared/id'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type Json, type Medicine, MEDICINE_PARTS, type MedicinePart } from './answers'
import { wrongPart } from './answers-check'
import { doseUnitKey, durationUnitKey, medicineFormKey, routeKey } from './answers-text'
import type { EventFieldOfType } from './definition'
import classes from './FormAnswers.module.css'
import { DURATION_UNITS } from './field-kinds'

type Question = EventFieldOfType<'medicine'>
type Props = InputProps & { question: Question }

const lists = {
  doseUnits: { known: DOSE_UNITS, key: doseUnitKey },
  form: { known: DOSAGE_FORMS, key: medicineFormKey },
  route: { known: ROUTES, key: routeKey },
  durationUnits: { known: DURATION_UNITS, key: durationUnitKey },
} as const
type Listed = keyof typeof lists
const isListed = (part: MedicinePart): part is Listed => part in lists

/** Medicines, one card each, with the nine parts that phones store. Other keys of an entry are kept. */
export function MedicinesInput({ question, ...props }: Props) {
  const say = useSay()
  const { label, description, error, withAsterisk, disabled } = useFrame(props)
  const labelId = useId()
  const medicines = (Array.isArray(props.value) ? props.value : []) as Medicine[]
  const change = (at: number, part: MedicinePart, value: Json) =>
    props.onChange(medicines.map((one, index) => (index === at ? { ...one, [part]: value } : one)))
  return (
    <Input.Wrapper
      label={label}
      description={description}
      error={error}
      withAsterisk={withAsterisk}
      labelElement="div"
      labelProps={{ id: labelId }}
    >
      <Stack
        gap="sm"
        mt={4}
        component="fieldset"
        className={classes.group}
        aria-labelledby={labelId}
      >
        {medicines.map((medicine, at) => (
          // an entry of a phone may have no id
          // oxlint-disable-next-line react/no-array-index-key
          <Paper key={at} withBorder p="sm">
            <Group justify="space-between" mb="xs" wrap="nowrap">
              <Text size="sm" fw={600}>
                {say({ key: 'answers.medicineNumber', values: { number: at + 1 } })}
              </Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                c="dimmed"
                disabled={disabled}
                aria-label={say({ key: 'answers.removeMedicine', values: { number: at + 1 } })}
                onClick={() => props.onChange(medicines.filter((_, index) => index !== at))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Group>
            <div className={classes.parts}>
              {MEDICINE_PARTS.map((part) => (
                <Part
                  key={part}
                  part={part}
                  question={question}
                  value={medicine[part]}
                  isWrong={Boolean(error) && wrongPart(medicine)?.part === part}
                  disabled={disabled}
                  onChange={(value) => change(at, part, value)}
                />
              ))}
            </div>
          </Paper>
        ))}
        <div>
          <Button
            variant="default"
            size="sm"
            disabled={disabled}
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => props.onChange([...medicines, newMedicine(question)])}
          >
            {say('answers.addMedicine')}
          </Button>
        </div>
      </Stack>
    </Input.Wrapper>
  )
}

/** A new entry with the form's defaults; of a list with one choice, that one. */
function newMedicine({ fields, options }: Question): Medicine {
  const only = (values: readonly string[]) => (values.length === 1 ? values[0]! : '')
  const { name, frequency, intervals, dose, duration } = fields
  return {
    id: newId(),
    name: name || only(options.map(({ value }) => value)),
    dose,
    doseUnits: only(fields.doseUnits),
    form: only(fields.form),
    route: only(fields.route),
    frequency,
    intervals,
    duration,
    durationUnits: only(fields.durationUnits),
  }
}

type PartProps = {
  part: MedicinePart
  question: Question
  value: Json | undefined
  isWrong: boolean
  disabled?: boolean
  onChange: (value: string | null) => void
}

function Part({ part, question, value, isWrong, disabled, onChange }: PartProps) {
  const say = useSay()
  const text = typed(value)
  const className = part === 'name' ? classes.name : undefined
  const common = {
    label: say(`answers.part_${part}` as MessageKey),
    disabled,
    size: 'sm' as const,
    className,
    error: isWrong,
    'aria-invalid': isWrong || undefined,
  }
  if (isListed(part)) {
    const { known, key } = lists[part]
    const allowed: readonly string[] =
      question.fields[part].length > 0 ? question.fields[part] : known
    // the stored value stays a choice even if the form no longer offers it
    const offered = text && !allowed.includes(text) ? [...allowed, text] : allowed
    return (
      <PickList
        {...common}
        value={text || null}
        onChange={onChange}
        data={offered.map((one) => ({
          value: one,
          label: (known as readonly string[]).includes(one) ? say(key(one)) : one,
        }))}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': say('common.clear') }}
        nothingFoundMessage={say('form.nothingFound')}
      />
    )
  }
  if (part === 'name') {
    const option = question.options.find((one) => one.value === text)
    return (
      <Autocomplete
        {...common}
        required
        withAsterisk
        value={option?.label ?? text}
        onChange={(name) =>
          onChange(question.options.find((one) => one.label === name)?.value ?? name)
        }
        data={[...new Set(question.options.map(({ label }) => label))]}
        dir="auto"
        autoComplete="off"
      />
    )
  }
  return (
    <TextInput
      {...common}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
      inputMode={part === 'dose' || part === 'duration' ? 'decimal' : undefined}
      dir="auto"
      autoComplete="off"
    />
  )
}
