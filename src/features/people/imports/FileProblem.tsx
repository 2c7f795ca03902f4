import { Alert, Button, Group, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { api } from '~/client/api'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Encoding, ENCODINGS } from './import'

/** Why the file cannot be read, and the choice of an encoding or a delimiter. */
export function FileProblem({
  id,
  problem,
  encoding,
}: {
  id: string
  problem: Message
  encoding: string | null
}) {
  const say = useSay()
  const { run, pending } = useAction()
  const [chosen, setChosen] = useState<Encoding | null>(
    ENCODINGS.find((known) => known === encoding) ?? null,
  )
  return (
    <Stack gap="md">
      <Alert color="red" variant="light" role="alert">
        {say(problem)}
      </Alert>
      <Group align="flex-end">
        <Select
          label={say('imports.encoding')}
          value={chosen ?? ''}
          onChange={(value) => setChosen(ENCODINGS.find((known) => known === value) ?? null)}
          data={[
            { value: '', label: say('imports.encodingAuto') },
            ...ENCODINGS.map((value) => ({ value, label: say(`imports.encodings.${value}`) })),
          ]}
          allowDeselect={false}
        />
        <Button
          loading={pending}
          onClick={() => void run(() => api.imports.setEncoding({ id, encoding: chosen }))}
        >
          {say('imports.readAgain')}
        </Button>
      </Group>
    </Stack>
  )
}
