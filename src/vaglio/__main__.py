from vaglio.cli.main import main

main()
