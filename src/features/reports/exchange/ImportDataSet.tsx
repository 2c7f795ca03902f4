import { Button, FileButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { CancelButton } from '~/ui/CancelButton'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { invalid } from '~/shared/errors'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { FormAlert } from '~/ui/FormAlert'
import { useFormState } from '~/ui/form'

type Values = { code: string; dataSetId: string; file: { name: string; text: string } | null }
const EMPTY: Values = { code: '', dataSetId: '', file: null }

/** The button and dialog that make a report of a data set of DHIS2, from its file or from the server. */
export function ImportDataSet() {
  const say = useSay()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFileImport size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {say('dhis2.import')}
      </Button>
      {isOpen && <ImportDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function ImportDialog({ onClose }: { onClose: () => void }) {
  const say = useSay()
  const router = useRouter()
  const [id] = useState(newId)
  const { values, change, errors, isSaving, alert, rebase, ref, submit } = useFormState<Values>({
    start: EMPTY,
    differs: (a, b) => a.code !== b.code || a.dataSetId !== b.dataSetId || a.file !== b.file,
    isField: (path) => ['code', 'dataSetId', 'dataSet'].includes(path),
  })
  const errorText = (name: string) => errors[name] && say(errors[name])

  async function dataSet(): Promise<unknown> {
    if (values.file) {
      try {
        return JSON.parse(values.file.text)
      } catch {
        throw invalid({ dataSet: { key: 'dhis2.noDataSet' } })
      }
    }
    if (!values.dataSetId.trim()) throw invalid({ dataSet: { key: 'dhis2.chooseDataSet' } })
    return api.dhis2.dataSet({ dataSetId: values.dataSetId.trim() })
  }

  const save = async () => {
    const { skipped } = await api.reportDefinitions.importDhis2({
      id,
      code: values.code,
      dataSet: await dataSet(),
    })
    rebase(values)
    toast.success(
      say({ key: 'dhis2.imported', values: { skipped: skipped.length } }),
      skipped.length > 0 ? { description: skipped.slice(0, 10).join(' · ') } : {},
    )
    await router.navigate({
      to: '/app/reports/definitions/edit/{-$definitionId}',
      params: { definitionId: id },
    })
  }

  return (
    <Dialog onClose={onClose} size="lg" title={say('dhis2.import')}>
      <form ref={ref} onSubmit={(event) => void submit(event, save)} method="post" noValidate>
        <Stack gap="md">
          <FormAlert {...alert} />
          <Text size="sm">{say('dhis2.importLead')}</Text>
          <TextInput
            label={say('reportEditor.code')}
            description={say('reportDefinitions.codeForm')}
            value={values.code}
            onChange={(event) => change({ code: event.currentTarget.value })}
            error={errorText('code')}
            required
            dir="ltr"
            maxLength={60}
          />
          <TextInput
            label={say('dhis2.dataSetId')}
            description={say('dhis2.dataSetIdHint')}
            value={values.dataSetId}
            onChange={(event) =>
              change({ dataSetId: event.currentTarget.value, file: null }, ['dataSetId', 'dataSet'])
            }
            error={errorText('dataSetId') || (!values.file && errorText('dataSet'))}
            dir="ltr"
            maxLength={11}
          />
          <Group gap="sm">
            <FileButton
              accept="application/json,.json"
              onChange={(file) =>
                void file
                  ?.text()
                  .then((text) =>
                    change({ file: { name: file.name, text } }, ['dataSetId', 'dataSet']),
                  )
              }
            >
              {(props) => (
                <Button {...props} variant="default">
                  {say('dhis2.chooseFile')}
                </Button>
              )}
            </FileButton>
            {values.file && (
              <Text size="sm">
                <bdi>{values.file.name}</bdi>
              </Text>
            )}
          </Group>
          {values.file && errors['dataSet'] && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {say(errors['dataSet'])}
            </Text>
          )}
          <Group gap="sm">
            <Button type="submit" disabled={isSaving}>
              {say('dhis2.import')}
            </Button>
            <CancelButton onClick={onClose} />
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
