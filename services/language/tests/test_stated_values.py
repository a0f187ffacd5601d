"""Secrets told by a clause; beside them clauses with the same words and figures that tell none."""

import re

import pytest

from pellucid_language.redaction.gate import GATE, without
from pellucid_language.redaction.value_forms import form_points

TOLD = (
    ("the safe opens with 74-12-33", "74-12-33"),
    (
        "keepass master key: violet tractor sunrise lemon ocean, can it be brute forced",
        "violet tractor sunrise",
    ),
    ("my debit card pin, 6178, is that easily guessed", "6178"),
    ("guest network ssid HomeNet key sunflower42 wont connect on chromecast", "sunflower42"),
    ("the padlock at the gym is 4-19-33, how do i reset a master lock", "4-19-33"),
    ("our gate code's 2247# and couriers keep sharing it", "2247"),
    ("ive always used Marigold77 for my bank, too weak?", "Marigold77"),
    ("my sim puk 83920174 is rejected on vodafone", "83920174"),
    ("voicemail pin of mine is 7741 how do i change it on t-mobile", "7741"),
    ("lockbox combo 0-3-8-1 airbnb guests cant open", "0-3-8-1"),
    (
        "my bitwarden vault opens with 'copper lantern drift mosaic', strong enough?",
        "copper lantern drift mosaic",
    ),
    ("login for work vpn: jdoe / spring-Tango-19 keeps failing", "spring-Tango-19"),
    ("steam says my code 7KQ2M is invalid", "7KQ2M"),
    ("2fa seed JBSWY3DPEHPK3PXP how to import into aegis", "JBSWY3DPEHPK3PXP"),
    ("backup codes 4821-9932 and 1180-7345 google, do they expire", "4821-9932"),
    ("ledger pin 93820417 forgot, how many tries", "93820417"),
    ("mein Tresor geht mit 48-20-15 auf, wie ändere ich den Code", "48-20-15"),
    ("die Alarmanlage hat den Code 7719 und piept ständig", "7719"),
    (
        "WLAN Gastzugang Schlüssel lautet regenbogen2019 warum verbindet das Tablet nicht",
        "regenbogen2019",
    ),
    ("TAN 482913 kam per SMS obwohl ich nichts überwiesen habe", "482913"),
    ("Handy PIN 4477 vergessen nein falsch eingegeben, wie viele Versuche", "4477"),
    ("meine Fahrradschloss Kombination 3-8-2-1 klemmt", "3-8-2-1"),
    ("le digicode de mon immeuble est 45B12, comment le faire changer", "45B12"),
    ("mon coffre s'ouvre avec 12-34-27, code oublié par ma femme", "12-34-27"),
    ("clé wifi de ma livebox : 7FQ9ZKD2, la tablette refuse", "7FQ9ZKD2"),
    ("la alarma de casa se apaga con 6620 ¿cómo pongo otro número?", "6620"),
    ("el candado de mi bici es 735, ¿puedo cambiarlo?", "735"),
    ("contraseña del correo, Luna*Verde8, ¿es fuerte?", "Luna*Verde8"),
    ("우리집 현관 도어락 8842 인데 배터리 나가면 어떻게 열어", "8842"),
    ("와이파이 비번 sunny7788 인데 연결이 안돼", "sunny7788"),
    ("金庫の番号は 28-14-63 ですが開きません", "28-14-63"),
    ("Wi-Fiのパスは mikan2231 なのに繋がらない", "mikan2231"),
    ("家里门锁密码738291怎么改", "738291"),
    ("保险箱 35-18-72 打不开怎么办", "35-18-72"),
    ("wallet phrase starts with ocean velvet ladder orbit, is that bip39", "ocean velvet ladder"),
    ("signed in with hunter42 as pass on github, got locked", "hunter42"),
    ("set my luggage lock to 917 and now it wont open", "917"),
    ("the wpa key on the sticker says 93AC-77KD-PL02 but laptop refuses", "93AC-77KD-PL02"),
    ("is 2580 a good phone pin", "2580"),
    ("my netbank code, 559012, stopped working", "559012"),
    ("entry code 1937* for the office at night, alarm goes off", "1937"),
    ("I set the kids' ipad passcode as 141592 and now it's disabled", "141592"),
    ("zip archive is protected with Kestrel_Moon, how do i remove it", "Kestrel_Moon"),
)
SAID = """
the safe water level is 3.2 m
what does error code 0x80070005 mean
pin 5 of the ESP32
PIN code 110001 Delhi
key signature of beethoven symphony no 9
safe operating temperature 74-82 for ryzen 7950
master lock model 1500D vs 175
how to open a safe with a stethoscope
lock screen wallpaper 1170x2532
alarm clock app for android 15
fire alarm standard EN 14604
gate 22 at frankfurt airport to gate B12 walking time
gate opener nice robus 600 price
yale smart lock conexis L2 review
wifi 7 router TP-Link BE800 vs ASUS BE98
router linksys wrt3200acm openwrt 23.05
login error 0x8004def5 onedrive
steam error code 118
keepass 2.57 vs keepassxc 2.7.9
bitcoin wallet electrum 4.5.5 download
trust wallet fee 2026
tan 45 degrees
tan(30) value
tanning beds 2026 law
combination formula 5 choose 3
combination therapy 50/500 mg
pin tumbler lock 6 pins
bowling 10 pin rules 1895
pinterest 2026 pin size 1000x1500
GPIO pin 17 raspberry pi 5
24 pin atx connector pinout
pin 13 and pin 12 of arduino uno r4
my car key battery CR2032 or CR2025
key results 2025 q3 siemens
key 4 in F major chords
key west hotel under 200
house number 12 in the safe zone
password length 8 vs 12 vs 16 characters
what is a good 4 digit pin, most common pins 1234 0000
how many combinations does a 4-digit lock have
is 4 digit pin enough for phone
license plate lookup 2026 germany rules
code 128 barcode
area code 415
country code +49
dress code black tie 2026
zip code 90210 map
http status code 404
building code IBC 2021 section 1008
code 39 vs code 128
exit code 137 docker
promo code for nike 2026
bank holidays 2026 uk
bank of america 2026 q2 earnings
iphone 15 lock screen bug ios 17.4.1
my iphone 12 lock button is stuck
my router is a fritzbox 7590 ax
my router shows error 651
my safe is a sentry X125, battery size?
my lock is a kwikset 980, how do I rekey it
my alarm is a honeywell vista 20p, error fc 01
my wallet weighs 120 g
our gate is 3.5 m wide, which motor
the login page returns 502
vault 7 leaks wikileaks summary
vault 111 fallout 4 walkthrough
the safe house 2012 movie cast
hotel safe laptop 15.6 inch
lock washer m8 din 127
door size 80x203
the door opens at 19:30, when does the concert start
bank opens at 9:30 on monday
password game rule 16 chess
the last of us safe combinations
resident evil 2 safe code west office
resident evil 4 lock combination
windows 11 pin login not working after update 24H2
credit card 3 digit number where
secret service founded 1865
secret level 1-1 mario
top secret document 1945 manhattan project
token ring 802.5
erc-20 token price 0.0032
chatgpt token price per 1000
access token lifetime 3600 seconds
seed oil 2026 study
tomato seed 120 days to harvest
phrase of the day 2026
sim card size 12.3 x 8.8
puk liga 2026
Tresor Berlin club 1991
Schloss Neuschwanstein 1869
Schlüssel für Golf 7 nachmachen kosten
Schlüsselweite 13 schraube m8
PIN 6 am KFZ Stecker 13-polig Belegung
Alarmstufe 3 Covid 2021
Code 27 Waschmaschine Bosch Fehler
Tor 3 messe frankfurt
WLAN 6E 5 GHz Kanal 36
Konto eröffnen 2026 bonus 100 euro
clé de 13 ou 17 pour bougie
code 39 erreur windows
code postal 75011 paris
porte 3 charles de gaulle terminal 2E
coffre renault captur 422 litres
clave wifi telmex 2026
código postal 28013 madrid
código de error 0x8024402c
puerta 12 aeropuerto barajas
caja fuerte arregui precio
llave allen 5 mm
비밀번호 8자리 이상 규칙
도어락 배터리 AA 4개
와이파이 6 공유기 추천 2026
금고 크기 40x35
인증 코드 오류 403
密码锁 小米 1S 评测
wifi 7 路由器 2026 推荐
门 2.1米 标准高度
保险箱 45 公分
金庫 耐火 60分
暗証番号 4桁 多い
Wi-Fi 6 ルーター 3000円
鍵 交換 8000円
why is my safe beeping 3 times
who sang password by kitty wells 1964
number of keys on a piano 88
my phone has 8 GB and 256 GB storage, is that enough
my account has 2000 followers
our account manager is Anna Schmidt
my bank is Revolut, how do I close it
my email is full 15 GB
is gmail 2fa secure enough
the wifi is slow, 20 Mbps, why
my wifi channel is 11
alarm at 6:30 not working ios 18
set alarm for 7 45
my alarm is 0630 and it didn't ring
unlock bootloader pixel 8
unlock 100 achievements
unlock level 55 in cod
locked out of account for 24 hours
two-factor 2026 statistics
passcode vs pin vs password
port 443 of the router closed
the lock on canal 23 was built in 1890
panama canal locks 1914 dimensions 33.5
combination lock puzzle 682 one number is correct
safe dose of ibuprofen 400 mg
is it safe to drink 2 l of water
safe distance 1.5 m
safe harbor 401k 2026
the key difference between 4G and 5G
the key is consistency
key: major
the answer is 42
phone model number A2651
model code SM-G991B
serial number format of rolex 16610
product code 194253
my pin badge from 1984 value
pin oak growth 24 inches
hash 1234 md5
login.gov wait time 2026
ssid max length 32
ssid vs bssid
wpa2 vs wpa3 2026
network 10.0.0.0/8
key lime 9 inch pie
gas safe register number 500 lookup
otp bank share price 2026
tan son nhat airport terminal 3
cvc words list
cvc capital partners 2024 ipo 14 eur
security code 3 digits amex 4 digits
Our safe word is a joke right
luggage lock TSA007 meaning
tsa 002 key
"""


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


@pytest.mark.parametrize(("message", "value"), TOLD)
def test_a_value_that_a_clause_states_is_cut(message: str, value: str) -> None:
    assert _squeezed(value) not in _squeezed(GATE.redact(message).text)
    left = without(f"{value} query", GATE.private([message]))
    assert _squeezed(value) not in _squeezed(left)
    assert "query" in left


@pytest.mark.parametrize("message", SAID.strip().splitlines())
def test_a_clause_that_states_none_stays(message: str) -> None:
    assert GATE.redact(message).text == message
    assert GATE.private([message]) == ()


@pytest.mark.parametrize(
    ("value", "points"),
    [
        ("74-12-33", 3),
        ("4821-9932", 3),
        ("2247#", 3),
        ("sunflower42", 3),
        ("7KQ2M", 3),
        ("6178", 2),
        ("Grape!Fruit", 2),
        ("X125", 0),
        ("TSA007", 1),
        ("1998", 1),
        ("2026-11-03", 0),
        ("10:30", 0),
        ("3-1", 0),
        ("0x80070005", 0),
        ("25%", 0),
        ("windows11", 0),
        ("harbour", 0),
    ],
)
def test_forms(value: str, points: int) -> None:
    assert form_points(value) == points
