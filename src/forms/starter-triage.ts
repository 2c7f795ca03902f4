import {
  allOf,
  anyOf,
  atLeast,
  choice,
  choices,
  emergency,
  heading,
  longText,
  noneOf,
  number,
  oneOf,
  starter,
  temperature,
  text,
  urgent,
  when,
  yesNo,
} from './starter-parts'

const hasPressure = anyOf(when('systolic', 'atLeast', 160), when('diastolic', 'atLeast', 110))
// children under 12 have other limits: until those are confirmed, only the ones of adults are applied
const isOlder = when('__age_years__', 'atLeast', 12)

/** What makes the category red. IITT, 12 years and older, red criteria; ETAT: two signs of severe dehydration. */
const RED = [
  when('emergency', 'answered'),
  atLeast(2, ...['lethargy', 'eyes', 'pinch'].map((sign) => when('dehydration', 'is', sign))),
  atLeast(
    2,
    ...['mental', 'neck', 'temperature', 'headache'].map((sign) => when('brain', 'is', sign)),
  ),
  allOf(isOlder, anyOf(when('pulse', 'lessThan', 50), when('pulse', 'moreThan', 150))),
  when('pregnancy_signs', 'answered'),
  allOf(when('pregnant', 'is', 'yes'), hasPressure),
]
/** IITT, high-risk vital signs. */
const RISKY = [
  allOf(
    isOlder,
    anyOf(
      when('pulse', 'lessThan', 60),
      when('pulse', 'moreThan', 130),
      when('breaths', 'lessThan', 10),
      when('breaths', 'moreThan', 30),
    ),
  ),
  when('temperature', 'lessThan', 36),
  when('temperature', 'moreThan', 39),
  when('saturation', 'lessThan', 92),
  oneOf('awake', 'voice', 'pain', 'none'),
]

/**
 * Emergency and priority signs: Interagency Integrated Triage Tool (IITT; WHO, ICRC, MSF, 2020), and for children WHO,
 * Guidelines on paediatric emergency triage, assessment and treatment (ETAT, 2016), shortened. Thoughts of suicide are in
 * neither; they are urgent, and the person is not left alone: RNAO (https://bpgmobile.rnao.ca/node/1199), WHO mhGAP
 * Intervention Guide 2.0 (self-harm), mental health triage tool of Australia
 * (https://www1.health.gov.au/internet/publications/publishing.nsf/Content/triageqrg~triageqrg-mh).
 */
export const triage = starter(
  'triage',
  ['Triage', 'الفرز', 'Triaje'],
  [
    'Who cannot wait: check emergency signs first, then priority signs.',
    'من لا يحتمل الانتظار: تُفحص علامات الطوارئ أولًا ثم علامات الأولوية.',
    'Quién no puede esperar: primero los signos de emergencia, después los de prioridad.',
  ],
  [
    text('reason', ['Chief complaint', 'الشكوى الرئيسية', 'Motivo de consulta'], {
      required: true,
    }),
    choices(
      'emergency',
      ['Emergency signs', 'علامات الطوارئ', 'Signos de emergencia'],
      [
        [
          'airway',
          'Obstructed airway or not breathing',
          'انسداد مجرى الهواء أو توقف التنفّس',
          'Vía aérea obstruida o no respira',
        ],
        [
          'breathing',
          'Severe respiratory distress or central cyanosis',
          'ضيق تنفّس شديد أو زرقة مركزية (الشفتان واللسان)',
          'Dificultad respiratoria grave o cianosis central',
        ],
        [
          'shock',
          'Weak and fast pulse, or capillary refill longer than 3 seconds',
          'نبض ضعيف وسريع، أو امتلاء الشعيرات أطول من 3 ثوانٍ',
          'Pulso débil y rápido, o llenado capilar mayor de 3 segundos',
        ],
        ['bleeding', 'Heavy bleeding', 'نزف غزير', 'Hemorragia abundante'],
        [
          'coma',
          'Unresponsive, or responds only to pain',
          'لا يستجيب أو يستجيب للألم فقط',
          'No responde, o responde solo al dolor',
        ],
        ['convulsion', 'Convulsing now', 'اختلاج (تشنّج) حاليًا', 'Convulsiona en este momento'],
        [
          'trauma',
          'Serious injury, or a limb in danger',
          'إصابة خطيرة، أو طرف مهدَّد',
          'Traumatismo grave, o extremidad en peligro',
        ],
        [
          'poisoning',
          'Poisoning or dangerous chemical exposure',
          'تسمّم أو تعرّض لمادة كيميائية خطرة',
          'Intoxicación o exposición a una sustancia química peligrosa',
        ],
        ['snake', 'Snake bite', 'لدغة أفعى', 'Mordedura de serpiente'],
        [
          'chest',
          'Acute chest or abdominal pain, older than 50',
          'ألم صدري أو بطني حاد لمن عمره أكثر من 50',
          'Dolor agudo torácico o abdominal, mayor de 50 años',
        ],
        ['violent', 'Violent or very agitated', 'عنيف أو شديد الهياج', 'Violento o muy agitado'],
        ['newborn', 'Baby younger than 8 days', 'مولود عمره أقل من 8 أيام', 'Bebé menor de 8 días'],
      ],
      {
        hint: [
          'One sign is enough: treat immediately.',
          'علامة واحدة تكفي: العلاج فورًا.',
          'Basta un signo: trate de inmediato.',
        ],
      },
    ),
    choices(
      'dehydration',
      ['Child with diarrhoea or vomiting', 'طفل مصاب بإسهال أو قيء', 'Niño con diarrea o vómitos'],
      [
        ['lethargy', 'Lethargic', 'خمول', 'Letárgico'],
        ['eyes', 'Sunken eyes', 'عينان غائرتان', 'Ojos hundidos'],
        [
          'pinch',
          'Very slow skin pinch',
          'بطء شديد في عودة ثنية الجلد',
          'Pliegue cutáneo muy lento',
        ],
      ],
      {
        hint: [
          'Two signs are an emergency.',
          'علامتان تعنيان حالة طارئة.',
          'Dos signos son una emergencia.',
        ],
      },
    ),
    choices(
      'brain',
      ['Brain and fever', 'الدماغ والحمّى', 'Cerebro y fiebre'],
      [
        ['mental', 'Altered mental status', 'تغيّر الوعي', 'Alteración del estado mental'],
        ['neck', 'Stiff neck', 'صلابة الرقبة', 'Rigidez de nuca'],
        ['temperature', 'Fever or low temperature', 'حمّى أو انخفاض الحرارة', 'Fiebre o hipotermia'],
        ['headache', 'Headache', 'صداع', 'Cefalea'],
      ],
      {
        hint: [
          'Two signs are an emergency.',
          'علامتان تعنيان حالة طارئة.',
          'Dos signos son una emergencia.',
        ],
      },
    ),
    yesNo('pregnant', ['Pregnant', 'حامل', 'Embarazada'], {
      showIf: noneOf(when('__sex__', 'is', 'male')),
    }),
    choices(
      'pregnancy_signs',
      [
        'Emergency signs in pregnancy',
        'علامات الطوارئ في الحمل',
        'Signos de emergencia en el embarazo',
      ],
      [
        ['bleeding', 'Heavy bleeding', 'نزف غزير', 'Hemorragia abundante'],
        ['pain', 'Severe abdominal pain', 'ألم بطني شديد', 'Dolor abdominal intenso'],
        [
          'seizure',
          'Convulsion or altered mental status',
          'اختلاج أو تغيّر الوعي',
          'Convulsión o alteración del estado mental',
        ],
        ['headache', 'Severe headache', 'صداع شديد', 'Cefalea intensa'],
        ['vision', 'Blurred vision', 'تشوّش رؤية', 'Visión borrosa'],
        ['labour', 'Active labour', 'مخاض', 'Trabajo de parto activo'],
        ['trauma', 'Injury', 'إصابة', 'Traumatismo'],
      ],
      { showIf: when('pregnant', 'is', 'yes') },
    ),
    heading('vitals_heading', ['Vital signs', 'العلامات الحيوية', 'Signos vitales']),
    number('pulse', ['Pulse', 'النبض', 'Pulso'], {
      unit: 'BPM',
      vital: 'pulse_rate',
      limits: { min: 10, max: 300 },
    }),
    number(
      'breaths',
      [
        'Respiratory rate (per minute)',
        'عدد الأنفاس في الدقيقة',
        'Frecuencia respiratoria (por minuto)',
      ],
      { vital: 'respiratory_rate', limits: { min: 1, max: 150 } },
    ),
    temperature(),
    number('saturation', ['Oxygen saturation', 'تشبّع الأكسجين', 'Saturación de oxígeno'], {
      unit: '%',
      vital: 'oxygen_saturation',
      limits: { min: 30, max: 100 },
    }),
    number(
      'systolic',
      ['Systolic blood pressure', 'ضغط الدم الانقباضي', 'Presión arterial sistólica'],
      {
        unit: 'mmHg',
        vital: 'systolic_bp',
        limits: { min: 30, max: 300 },
      },
    ),
    number(
      'diastolic',
      ['Diastolic blood pressure', 'ضغط الدم الانبساطي', 'Presión arterial diastólica'],
      {
        unit: 'mmHg',
        vital: 'diastolic_bp',
        limits: { min: 10, max: 200 },
      },
    ),
    choice(
      'awake',
      ['Consciousness (AVPU)', 'الوعي (AVPU)', 'Conciencia (AVPU)'],
      [
        ['alert', 'Alert', 'واعٍ', 'Alerta'],
        ['voice', 'Responds to voice', 'يستجيب للصوت', 'Responde a la voz'],
        ['pain', 'Responds only to pain', 'يستجيب للألم فقط', 'Responde solo al dolor'],
        ['none', 'Unresponsive', 'لا يستجيب', 'No responde'],
      ],
    ),
    emergency(
      'emergency_note',
      anyOf(...RED),
      'EMERGENCY (red): take the patient to the treatment room immediately and call for help. Convulsion or unconscious: measure the blood glucose.',
      'طوارئ (أحمر): نقل المريض فورًا إلى غرفة المعالجة وطلب المساعدة. عند الاختلاج أو فقدان الوعي: قياس سكر الدم.',
      'EMERGENCIA (rojo): lleve al paciente de inmediato a la sala de tratamiento y pida ayuda. Convulsión o inconsciencia: mida la glucosa.',
    ),
    choices(
      'priority',
      ['Priority signs', 'علامات الأولوية', 'Signos de prioridad'],
      [
        ['infant', 'Younger than 6 months', 'العمر أقل من 6 أشهر', 'Menor de 6 meses'],
        [
          'respiratory',
          'Respiratory distress or wheezing',
          'ضيق تنفّس أو أزيز',
          'Dificultad respiratoria o sibilancias',
        ],
        [
          'swelling',
          'Swelling of the mouth, throat or neck',
          'تورّم الفم أو الحلق أو الرقبة',
          'Hinchazón de la boca, la garganta o el cuello',
        ],
        [
          'vomits',
          'Vomits everything, or cannot drink',
          'تقيؤ كل شيء أو عدم القدرة على الشرب',
          'Vomita todo, o no puede beber',
        ],
        ['hot', 'Very hot', 'حرارة شديدة', 'Temperatura muy alta'],
        ['pallor', 'Severe pallor', 'شحوب شديد', 'Palidez intensa'],
        ['bleeding', 'Bleeding that continues', 'نزف مستمر', 'Sangrado que continúa'],
        ['fainting', 'Recent fainting', 'إغماء حديث', 'Desmayo reciente'],
        ['seizure', 'Convulsion that has stopped', 'اختلاج توقّف', 'Convulsión que ya cesó'],
        [
          'stroke',
          'New weakness, speech or vision problem',
          'ضعف جديد أو اضطراب كلام أو رؤية',
          'Debilidad nueva, problema del habla o de la visión',
        ],
        [
          'restless',
          'Restless, irritable or lethargic',
          'تململ أو تهيّج أو خمول',
          'Inquieto, irritable o letárgico',
        ],
        ['pain', 'Severe pain', 'ألم شديد', 'Dolor intenso'],
        [
          'injury',
          'Injury, fracture or dislocation',
          'إصابة أو كسر أو خلع',
          'Traumatismo, fractura o luxación',
        ],
        ['burn', 'Burn', 'حرق', 'Quemadura'],
        [
          'bite',
          'Animal bite or needlestick',
          'عضّة حيوان أو وخز إبرة',
          'Mordedura de animal o pinchazo',
        ],
        ['assault', 'Sexual assault', 'اعتداء جنسي', 'Agresión sexual'],
        ['suicide', 'Thoughts of suicide', 'أفكار انتحارية', 'Ideas de suicidio'],
        [
          'malnutrition',
          'Visible severe wasting or oedema of both feet',
          'هزال شديد ظاهر أو وذمة القدمين',
          'Emaciación grave visible, o edema de ambos pies',
        ],
        [
          'pregnant',
          'Pregnant with another complaint',
          'حامل لديها شكوى أخرى',
          'Embarazada con otra molestia',
        ],
        ['referral', 'Urgent referral letter', 'كتاب إحالة عاجلة', 'Hoja de derivación urgente'],
      ],
      { showIf: noneOf(...RED) },
    ),
    urgent(
      'vitals_note',
      allOf(anyOf(...RISKY), noneOf(...RED)),
      'High-risk vital sign: call the supervising clinician now to decide whether the patient is red; at least yellow.',
      'علامة حيوية عالية الخطورة: استدعاء الطبيب المشرف الآن ليقرّر إن كان المريض أحمر؛ وهو أصفر على الأقل.',
      'Signo vital de alto riesgo: llame ahora al clínico responsable para decidir si el paciente es rojo; como mínimo, amarillo.',
    ),
    urgent(
      'priority_note',
      allOf(when('priority', 'answered'), noneOf(...RED)),
      'PRIORITY (yellow): seen next, before everybody who is green; look again at the signs while the patient waits.',
      'أولوية (أصفر): يُعاين تاليًا قبل كل المرضى الخضر؛ وتُعاد مراقبة العلامات أثناء الانتظار.',
      'PRIORIDAD (amarillo): se atiende a continuación, antes que todos los verdes; vuelva a revisar los signos mientras espera.',
    ),
    emergency(
      'suicide_note',
      when('priority', 'is', 'suicide'),
      'Thoughts of suicide: do not leave the patient alone.',
      'أفكار انتحارية: عدم ترك المريض وحده.',
      'Ideas de suicidio: no deje solo al paciente.',
    ),
    number('pain', ['Pain (0–10)', 'الألم من 0 إلى 10', 'Dolor, de 0 a 10'], {
      vital: 'pain_level',
      limits: { min: 0, max: 10 },
      normal: { max: 6 },
    }),
    choice(
      'category',
      ['Category', 'فئة الفرز', 'Categoría'],
      [
        ['red', 'Red: emergency, now', 'أحمر: طوارئ، فورًا', 'Rojo: emergencia, ahora'],
        [
          'yellow',
          'Yellow: priority, next',
          'أصفر: أولوية، التالي',
          'Amarillo: prioridad, el siguiente',
        ],
        ['green', 'Green: can wait', 'أخضر: يمكنه الانتظار', 'Verde: puede esperar'],
      ],
      {
        hint: [
          'Not below what the signs say: emergency signs are red, priority signs and high-risk vital signs at least yellow.',
          'ليست أدنى مما تشير إليه العلامات: علامات الطوارئ حمراء، وعلامات الأولوية والعلامات الحيوية عالية الخطورة صفراء على الأقل.',
          'No inferior a lo que indican los signos: los de emergencia son rojos; los de prioridad y los signos vitales de alto riesgo, al menos amarillos.',
        ],
        required: true,
        refuseIf: anyOf(
          ...RED.map((sign) => allOf(when('category', 'isNot', 'red'), sign)),
          allOf(when('category', 'is', 'green'), when('priority', 'answered')),
          ...RISKY.map((sign) => allOf(when('category', 'is', 'green'), sign)),
        ),
      },
    ),
    longText('done', ['Actions at triage', 'ما تم عند الفرز', 'Acciones en el triaje']),
  ],
)
