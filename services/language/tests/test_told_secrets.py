"""A secret that only its surroundings tell leaves in no string; what is said of secrets stays."""

import re
from itertools import product

import pytest

from pellucid_language.pii.gate import GATE, without

VALUES = ("Tr0ub4dor&3", "hunter2!x", "Soleil2024!", "gato_99x", "kX9#pLm2", "blue7river")
TOLD = (
    "password is {} why is it weak",
    "my password is {}, is it strong enough?",
    "is {q}my wifi password: {} safe",
    "why is the password {} rejected by gmail",
    "I changed my password from {} to something else, how do I undo it",
    "our admin password for the router is {} can it be cracked",
    "login alice password {} does not work on steam",
    "username: bob pass: {} error 403 fritzbox",
    "the db password was {} and postgres refuses it",
    "mein Passwort lautet {} ist das sicher?",
    "mein WLAN-Passwort ist {} wie ändere ich es",
    "mon mot de passe est {} est-il sûr",
    "mi contraseña es {} ¿es segura?",
    "비밀번호는 {} 인데 안전한가요",
    "密码是{} 安全吗",
    "パスワードは{} です。安全ですか",
    "API_TOKEN={} returns 401 in curl",
    "my api key is {} how do I rotate it",
)
# Words that only the place makes secret.
PLAIN = (
    ("my wifi password is wonderland is it safe", "wonderland"),
    ("is my password dragonfruit strong? my password is dragonfruit", "dragonfruit"),
    ("my netflix password: correcthorse how do I change it", "correcthorse"),
    ("username root password toor on kali", "toor"),
    ("my router pin is 4821 how to reset it", "4821"),
    ("PIN 4821 leaked what now", "4821"),
    ("my otp is 493021 is it still valid", "493021"),
    ("verification code 493021 from google, who sent it", "493021"),
    ("cvv 737 of my card is worn off", "737"),
    ("my bank pin is 1987 is that a bad one", "1987"),
    ("인증번호는 493021 누가 보냈나요", "493021"),
    ("验证码是 493021 谁发的", "493021"),
    ("暗証番号は 4821 です", "4821"),
    ("license key AB3DE-FG4IJ-KL5NO-PQ6ST says invalid", "AB3DE-FG4IJ-KL5NO-PQ6ST"),
    ("bitlocker recovery key 123456-234567-345678-456789-567890-678901-789012-890123", "345678"),
    ("is 3c:22:fb:91:bb:cc my mac tracked by the shop", "3c:22:fb"),
    ("my netflix login is bob@mail.example / Qwerty!23 is it on a list", "Qwerty!23"),
    ("my card 6304 0000 0000 0000 declined", "6304"),
    ("jcb card 3566 0020 2036 0505 declined", "3566"),
    ("Login: maria\nPassword: sunflower", "sunflower"),
    ("Passwort: Blumentopf", "Blumentopf"),
    ("Kennwort = Sommerwiese", "Sommerwiese"),
    ("mot de passe: tournesol, pourquoi ça marche pas?", "tournesol"),
    ("senha: abacaxi", "abacaxi"),
    ("wifi pass: correcthorse", "correcthorse"),
    ("mi clave es girasol", "girasol"),
    ("password for the router is letmein99", "letmein99"),
    ("my secret is abc123xyz", "abc123xyz"),
    ("내 비번은 코코아1234", "코코아1234"),
    ("パスワードはさくら2020です", "さくら2020"),
    ("我的PIN是482193", "482193"),
    ("my steam pw is basically mooncheese and someone logged in", "mooncheese"),
    ("Netflix sagt falsches Passwort, ich hab Hundefutter12 eingegeben", "Hundefutter12"),
    ("mi PIN del banco es 7788, es seguro?", "7788"),
    ("le mot de passe du wifi c'est bonjour123", "bonjour123"),
    ("the alarm PIN at work is 66112", "66112"),
    ("lock code for suitcase: 482", "482"),
    ("is 'purple-monkey-dishwasher' a good password? I use it", "purple-monkey-dishwasher"),
    ("clave wifi: gatonegro55", "gatonegro55"),
    ("the wifi: name FRITZ, password erdbeere", "erdbeere"),
    ("PIN für die Karte lautet 8392", "8392"),
    ("I forgot whether my code was 5512 or what", "5512"),
    ("my master password is correct horse battery staple", "horse battery"),
    ("smtp app password abcd efgh ijkl mnop", "ijkl"),
    ("steam guard code R5T9K wrong", "R5T9K"),
)
SAID = (
    "my password is incorrect",
    "my secret to success",
    "my code is 1000 lines long",
    "postal code 10115 berlin",
    "is 'password' still the most common password in 2026",
    "i entered the raffle 2026 with a new password",
    "server password policy best practice",
    "the secret is patience",
    "la clave es la paciencia",
    "our login to aws console",
    "token limit of gpt 4",
    "Password: how long should it be?",
    "pass: fail ratio",
    "password: forgotten",
    "my password is not working on netflix",
    "the password is stored in plain text",
    "my password keeps changing",
    "forgot my password for gmail",
    "password sha256 vs bcrypt",
    "the password sha256 hash is too long",
    "is a 12 character password strong enough in 2026",
    "how long should my password be",
    "pin code 110001 delhi",
    "arduino pin 13 led",
    "api key for gpt4 pricing",
    "token limit of gpt-4o",
    "best password manager 1password or bitwarden",
    "windows 11 login screen slow",
    "change login name on ps5",
    "wpa3 password length",
    "secret santa ideas 2026",
    "the secret history donna tartt",
    "iban country codes",
    "Olympics 2012 2016 2020 2024 host cities",
    "world cup 1998 2002 2006 2010 2014 2018 2022 winners",
    "8.8.8.8 dns latency",
    "1.1.1.1 vs 9.9.9.9 privacy",
    "192.168.1.1 admin page does not load",
    "2606:4700:4700::1111 ping",
    "results 3-1 2-2 4-0 1-1 0-0",
    "Python 3.12 3.13 3.14 release dates",
    "account number format of german banks",
    "user stories vs use cases",
    "key lime pie recipe",
    "seed phrase 12 or 24 words",
    "lottery numbers 4 8 15 16 23 42",
    "passport photo size 35 x 45 mm",
    "mi contraseña no funciona",
    "mein Passwort wurde gestohlen was tun",
    "mon mot de passe ne marche plus",
    "비밀번호 변경 방법",
    "密码 忘记 怎么办",
    "パスワード 変更 方法",
)


@pytest.mark.parametrize(("around", "value"), list(product(TOLD, VALUES)))
def test_a_secret_is_told_by_its_surroundings(around: str, value: str) -> None:
    message = around.replace("{q}", "").format(value)

    redacted = GATE.redact(message)

    assert "secret" in redacted.kinds
    assert value not in redacted.text
    for part in re.findall(r"[^\W_]{4,}", value):
        assert part not in redacted.text or part.isalpha()


@pytest.mark.parametrize(("message", "part"), PLAIN)
def test_a_word_or_a_number_may_be_one(message: str, part: str) -> None:
    assert part not in GATE.redact(message).text


@pytest.mark.parametrize("message", SAID)
def test_what_is_said_of_secrets_stays(message: str) -> None:
    assert GATE.redact(message).text == message


@pytest.mark.parametrize(("around", "value"), list(product(TOLD[:8], VALUES)))
def test_a_query_that_lost_the_words_around_is_cleared(around: str, value: str) -> None:
    private = GATE.private([around.replace("{q}", "").format(value), "and is it weak?"])

    for query in (f"{value} password weak", f"weak {value.lower()}", f'"{value}" strength'):
        cleared = without(query, private)
        assert value.lower() not in cleared.lower()
        assert set(re.findall(r"\w+", cleared)) >= {"weak"} or "strength" in cleared


def test_words_of_a_seed_phrase_go_together_and_stay_alone() -> None:
    words = "apple banana cherry date elder fig grape hazel iris jade kiwi lemon"
    private = GATE.private([f"my seed phrase is {words}. who can use it"])

    assert without("apple banana cherry wallet theft", private) == "wallet theft"
    assert without("apple wallet theft", private) == "apple wallet theft"
